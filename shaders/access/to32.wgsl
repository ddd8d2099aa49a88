// 32-bit elements of dst, a word each.
//
// Provides: LANES
const LANES: u32 = 1u; // elements per word
