// Packets of dst that have the end of one vector and the start of the next one.
//
// Provides: joined
// Needs: across
//
// The packet that begins `phase` bytes before `next`, the first of them the last of `before`. Elements have `size` bytes.
fn joined(phase: u32, size: u32, before: vec4<u32>, next: vec4<u32>) -> vec4<u32> {
    return across((16u - phase) & 15u, size, select(before, next, phase == 0u), next);
}
