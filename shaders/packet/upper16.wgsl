// A packet is 16 bytes, here 8 floats with an affine step, computed in the upper halves of words.
//
// Provides: packet
// Needs: stepped, replaced
fn packet(p: vec4<u32>) -> vec4<u32> {
    let low = stepped(p << vec4<u32>(16u));
    let high = stepped(p);
    // The lower half of `high` may hold anything, because the keys and counts in Bounds have zeros there. Each bound
    // lies in both halves of its word, so a bound that replaces a lower float needs no shift.
    return insertBits(replaced(high, high), replaced(low >> vec4<u32>(16u), low), 0u, 16u);
}
