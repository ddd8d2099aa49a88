// Products of a distance of 24 bits with the factor's lower two bytes and its upper half.
//
// Provides: LIMITS_KEYS, sum_of_parts
// Needs: Coefficients, Sum, distance
const LIMITS_KEYS: bool = true;

fn sum_of_parts(k: vec4<i32>, a: Coefficients) -> Sum {
    // The mask changes nothing; it tells compilers that a 24-bit multiplication suffices.
    let x = distance(k, a) & vec4<u32>(0xffffffu);
    let low = x * vec4<u32>(a.factor & 0xffu) + vec4<u32>(a.addend_low & 0xffu);
    let middle = x * vec4<u32>((a.factor >> 8u) & 0xffu) + vec4<u32>(a.addend_low >> 8u) + (low >> vec4<u32>(8u));
    let high = x * vec4<u32>(a.factor >> 16u) + (middle >> vec4<u32>(8u)) + vec4<u32>(a.addend_high);
    return Sum((low | middle) & vec4<u32>(0xffu), high);
}
