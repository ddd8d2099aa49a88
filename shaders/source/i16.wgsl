// I16 as source: the constants of `source/integer.wgsl`.
//
// Provides: SOURCE_LANES, SOURCE_UNUSED, SOURCE_KEY_BASE
const SOURCE_LANES: u32 = 2u; // elements per word
const SOURCE_UNUSED: u32 = 16u; // bits of a word that a sign fills
const SOURCE_KEY_BASE: u32 = 0u; // a number minus its key
