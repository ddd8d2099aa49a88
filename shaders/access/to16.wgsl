// 16-bit elements of dst, two to a word.
//
// Provides: DST_BYTES, LANES, UNIT_BYTES
const DST_BYTES: u32 = 2u;
const LANES: u32 = 2u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger
