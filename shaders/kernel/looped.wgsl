// An affine step that is too long to be inlined for each packet: compilers would take seconds.
//
// Provides: LOOPED
const LOOPED: bool = true;
