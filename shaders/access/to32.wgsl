// 32-bit elements of dst, a word each.
//
// Provides: DST_BYTES, LANES, UNIT_BYTES
const DST_BYTES: u32 = 4u;
const LANES: u32 = 1u;      // elements per unit
const UNIT_BYTES: u32 = 4u; // the larger of a word and an element
