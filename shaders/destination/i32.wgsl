// I32 as destination: the constants of `destination/integer.wgsl`.
//
// Provides: LANES, UNUSED, KEY_BASE, FLIP
const LANES: u32 = 1u; // elements per word
const UNUSED: u32 = 0u; // bits of a word that a sign fills
const KEY_BASE: u32 = 0u; // a number minus its key
const FLIP: u32 = 0x80000000u; // XOR makes elements unsigned numbers in the same order
