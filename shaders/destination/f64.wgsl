// F64 as source and destination. SIGN, INFINITY and MANTISSA_BITS describe the high word.
//
// Provides: LANES, SIGN, INFINITY, MANTISSA_BITS, EXPONENT_BIAS
const LANES: u32 = 1u; // elements per word
const SIGN: u32 = 0x80000000u;
const INFINITY: u32 = 0x7ff00000u;
const MANTISSA_BITS: u32 = 20u;
const EXPONENT_BIAS: i32 = 1023;
