// 8-bit elements of dst, four to a word.
//
// Provides: LANES
const LANES: u32 = 4u; // elements per word
