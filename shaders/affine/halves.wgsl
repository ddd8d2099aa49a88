// Products of a key of up to 16 bits with the factor's low 12 bits and the rest, which may be negative.
//
// Provides: LIMITS_KEYS, sum_of_parts
// Needs: Coefficients, Sum
const LIMITS_KEYS: bool = false;

fn sum_of_parts(k: vec4<i32>, a: Coefficients) -> Sum {
    let low = k * vec4<i32>(bitcast<i32>(a.factor & 0xfffu)) + vec4<i32>(bitcast<i32>(a.addend_low));
    let high = k * vec4<i32>(bitcast<i32>(a.factor) >> 12u) + vec4<i32>(bitcast<i32>(a.addend_high));
    return Sum(bitcast<vec4<u32>>(low) & vec4<u32>(0xfffu), bitcast<vec4<u32>>(high + (low >> vec4<u32>(12u))));
}
