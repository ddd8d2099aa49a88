// 16-bit elements of dst, two to a word.
//
// Provides: LANES
const LANES: u32 = 2u; // elements per word
