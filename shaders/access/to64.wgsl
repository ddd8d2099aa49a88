// 64-bit elements of dst, two words each, the low one first.
//
// Provides: DST_BYTES, LANES, UNIT_BYTES
const DST_BYTES: u32 = 8u;
const LANES: u32 = 1u;      // elements per unit
const UNIT_BYTES: u32 = 8u; // the larger of a word and an element
