// U8 as destination: a key is the number.
//
// Provides: from_key, FLIP, IS_UNSIGNED
fn from_key(k: vec4<i32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(k);
}

// XOR that makes an unsigned number in the order of the elements.
const FLIP: u32 = 0u;

const IS_UNSIGNED: bool = true;
