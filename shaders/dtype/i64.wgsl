fn key(bits: vec2<u32>) -> vec2<u32> {
    return bits;
}

fn from_key(key: vec2<u32>) -> vec2<u32> {
    return key;
}
