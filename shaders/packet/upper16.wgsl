// A packet is 16 bytes, here 8 floats with an affine step, computed in the upper halves of words.
//
// Provides: packet
// Needs: stepped, replaced
fn packet(p: vec4<u32>) -> vec4<u32> {
    let low = stepped(p << vec4<u32>(16u));
    let high = stepped(p);
    // The lower half of `high` may hold anything: keys and counts have zeros there. Bounds lie in both halves of their
    // words, so the lower results need no shift.
    return insertBits(replaced(high, high), replaced(low >> vec4<u32>(16u), low), 0u, 16u);
}
