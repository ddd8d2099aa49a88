// Division by a number that the host knows, as multiplication and shift.
//
// Provides: divide
//
// The upper word of a * b.
fn multiply_high(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let middle = a1 * b0 + ((a0 * b0) >> 16u); // at most 2^32 - 2^16
    let cross = a0 * b1 + (middle & 0xffffu);
    return a1 * b1 + (middle >> 16u) + (cross >> 16u);
}

// The exact quotient of `number` < 2^31; `src/kernel/division.rs` chooses multiplier and shift.
fn divide(number: u32, multiplier: u32, shift: u32) -> u32 {
    return multiply_high(number << 1u, multiplier) >> (shift & 31u);
}
