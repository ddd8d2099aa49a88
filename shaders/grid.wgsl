// The linear index of a workgroup in a grid of two dimensions, and division by a number that the host knows.
//
// Provides: WORKGROUP_SIZE, workgroup_index, divide
//
// Invocations in a workgroup, along x.
const WORKGROUP_SIZE: u32 = 256u;

fn workgroup_index(workgroup: vec3<u32>, grid_width: u32) -> u32 {
    return workgroup.y * grid_width + workgroup.x;
}

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

// The exact quotient of `number` < 2^31 and the divisor from which `src/kernel/walk.rs` computed multiplier and shift.
fn divide(number: u32, multiplier: u32, shift: u32) -> u32 {
    return multiply_high(number << 1u, multiplier) >> (shift & 31u);
}
