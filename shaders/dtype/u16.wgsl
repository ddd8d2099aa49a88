fn key(bits: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(bits);
}

fn from_key(key: vec4<i32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(key);
}

// What turns an element into an unsigned number in the order of the elements.
const FLIP: u32 = 0u;
