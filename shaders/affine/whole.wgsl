// The product of any distance with the whole factor, in 64 bits. Each sum of 16-bit products and halves fits 32 bits.
//
// Provides: LIMITS_KEYS, sum_of_parts
// Needs: Coefficients, Sum, distance
const LIMITS_KEYS: bool = true;

fn sum_of_parts(k: vec4<i32>, a: Coefficients) -> Sum {
    let half = vec4<u32>(0xffffu);
    let x = distance(k, a) << vec4<u32>(a.up);
    let low = (x & half) * vec4<u32>(a.factor & 0xffffu) + vec4<u32>(a.addend_low & 0xffffu);
    let middle = (x >> vec4<u32>(16u)) * vec4<u32>(a.factor & 0xffffu) + (low >> vec4<u32>(16u));
    let cross = (x & half) * vec4<u32>(a.factor >> 16u) + (middle & half) + vec4<u32>(a.addend_low >> 16u);
    let carry = (middle >> vec4<u32>(16u)) + (cross >> vec4<u32>(16u));
    let high = (x >> vec4<u32>(16u)) * vec4<u32>(a.factor >> 16u) + carry + vec4<u32>(a.addend_high);
    return Sum((low | cross) & half, high);
}
