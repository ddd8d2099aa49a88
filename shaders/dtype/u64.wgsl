// A key is the number minus 2^63.
fn key(bits: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(bits.x, bits.y ^ 0x80000000u);
}

fn from_key(key: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(key.x, key.y ^ 0x80000000u);
}
