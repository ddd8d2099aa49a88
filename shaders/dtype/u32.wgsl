// A key is the number minus 2^31.
fn key(bits: u32) -> i32 {
    return bitcast<i32>(bits ^ 0x80000000u);
}

fn from_key(key: i32) -> u32 {
    return bitcast<u32>(key) ^ 0x80000000u;
}
