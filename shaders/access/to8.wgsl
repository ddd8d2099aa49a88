// 8-bit elements of dst, four to a word.
//
// Provides: DST_BYTES, LANES, UNIT_BYTES
const DST_BYTES: u32 = 1u;
const LANES: u32 = 4u;      // elements per unit
const UNIT_BYTES: u32 = 4u; // the larger of a word and an element
