// Products of a distance of 26 bits with three times six bits of the factor and its upper bits.
//
// Provides: sum_of_parts
// Needs: Coefficients, Sum
fn sum_of_parts(x: vec4<u32>, a: Coefficients) -> Sum {
    let factor = (vec3<u32>(a.factor) >> vec3<u32>(0u, 6u, 12u)) & vec3<u32>(63u);
    let addend = (vec3<u32>(a.addend_low) >> vec3<u32>(0u, 6u, 12u)) & vec3<u32>(63u);
    let first = x * vec4<u32>(factor.x) + vec4<u32>(addend.x);
    let second = x * vec4<u32>(factor.y) + vec4<u32>(addend.y) + (first >> vec4<u32>(6u));
    let third = x * vec4<u32>(factor.z) + vec4<u32>(addend.z) + (second >> vec4<u32>(6u));
    let high = x * vec4<u32>(a.factor >> 18u) + (third >> vec4<u32>(6u)) + vec4<u32>(bitcast<u32>(a.addend_high));
    return Sum((first | second | third) & vec4<u32>(63u), high);
}
