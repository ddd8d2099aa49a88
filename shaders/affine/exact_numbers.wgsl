// Scale and bias of the exact steps in which a float of up to 32 bits takes part.
//
// Provides: Affine
struct Affine {
    scale: u32,          // significand of |scale|, its top bit at bit 23, or 0
    scale_exponent: i32, // of that bit
    bias: i32,           // significand of |bias|, its top bit at bit 28, or 0
    bias_exponent: i32,  // of that bit, plus the format's exponent bias; for 0 below all others
    scale_sign: u32,     // the format's sign bit, or 0
    bias_sign: u32,
    infinity_mask: u32,  // ±∞ becomes (bits & infinity_mask) ^ infinity_flip
    infinity_flip: u32,
    infinite_from: u32,  // what counts as ±∞: all where scale or bias, found on the GPU, is NaN or infinite
}
