// An affine step that is short enough to be inlined for each packet.
//
// Provides: LOOPED
const LOOPED: bool = false;
