// 32-bit elements of dst, a word each.
//
// Provides: DST_BYTES, LANES, UNIT_BYTES
const DST_BYTES: u32 = 4u;
const LANES: u32 = 1u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger
