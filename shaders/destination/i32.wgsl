// I32 as destination: the constants of `destination/integer.wgsl`.
//
// Provides: LANES, UNUSED, KEY_BASE
const LANES: u32 = 1u; // elements per word
const UNUSED: u32 = 0u; // bits of a word that a sign fills
const KEY_BASE: u32 = 0u; // a number minus its key
