// The channel of the elements that are worked on, with lanes the first of four.
//
// Provides: channel, SOME_UNCHANGED
var<private> channel: u32 = 0u;

// Whether there may be a clamp without an affine step where the module has one.
const SOME_UNCHANGED: bool = true;
