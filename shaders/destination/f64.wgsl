// F64, by its upper word, as source and destination.
//
// Provides: SIGN, INFINITY, MANTISSA_BITS, EXPONENT_BIAS
const SIGN: u32 = 0x80000000u; // in the high word, as the next two
const INFINITY: u32 = 0x7ff00000u;
const MANTISSA_BITS: u32 = 20u; // in the high word
const EXPONENT_BIAS: i32 = 1023;
