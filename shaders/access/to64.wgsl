// 64-bit elements of dst, two words each, the low one first.
//
// Provides: LANES
const LANES: u32 = 1u; // elements per word
