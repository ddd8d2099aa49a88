// U16 as destination. Keys order elements; here the key is the number itself.
//
// Provides: from_key, FLIP, IS_UNSIGNED
fn from_key(k: vec4<i32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(k);
}

// XOR with FLIP turns elements into unsigned numbers in the same order.
const FLIP: u32 = 0u;

const IS_UNSIGNED: bool = true;
