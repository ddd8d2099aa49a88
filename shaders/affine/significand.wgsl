// A finite f32 as significand and exponent.
//
// Provides: significand, exponent

// The significand of a magnitude's bits: 0, or a number whose top bit is bit 23.
fn significand(size: u32) -> u32 {
    let subnormal = size << ((countLeadingZeros(size) - 8u) & 31u);
    return select((size & 0x007fffffu) | 0x00800000u, subnormal, size < 0x00800000u);
}

// The exponent of that bit.
fn exponent(size: u32) -> i32 {
    let subnormal = -118 - i32(countLeadingZeros(size));
    return select(i32(size >> 23u) - 127, subnormal, size < 0x00800000u);
}
