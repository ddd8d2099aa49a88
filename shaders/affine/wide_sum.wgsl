// An exact product, or sum, of floats of up to 32 bits.
//
// Provides: Sum, SUM_BITS

// ± (high * 2^28 + low) * 2^-56 * 2^exponent, with high < 2^30 and low < 2^28.
struct Sum {
    high: vec4<i32>,
    low: vec4<i32>,
    exponent: vec4<i32>, // plus the format's exponent bias
    sign: vec4<u32>,     // the format's sign bit, or 0
}

const SUM_BITS: vec4<i32> = vec4<i32>(0xfffffff);
