// The rounding of an exact step, or of a 32-bit integer, to an f32 that may be rounded again.
//
// Provides: TO_ODD
// Needs: ROUNDS_SINGLES

// Whether it rounds to odd: an inexact f32 then has its last bit set. Rounding that f32 to a format shorter by two bits
// or more gives the same as rounding the exact number (Boldo and Melquiond, 2008).
const TO_ODD: bool = ROUNDS_SINGLES;
