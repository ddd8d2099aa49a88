// Two 16-bit elements to a word.
//
// Provides: ELEMENT_BYTES, LANES, UNIT_BYTES
const ELEMENT_BYTES: u32 = 2u;
const LANES: u32 = 2u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger
