fn key(bits: u32) -> i32 {
    return bitcast<i32>(bits);
}

fn from_key(key: i32) -> u32 {
    return bitcast<u32>(key);
}
