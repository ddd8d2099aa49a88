// Step values, the operands of the affine step, of a conversion from a 32-bit integer: the nearest f32, or the f32
// rounded to odd if TO_ODD. Uses integer operations only, because devices round differently.
//
// Provides: step_value
// Needs: magnitude, sign_of, TO_ODD
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    let size = magnitude(bits);
    let zeros = countLeadingZeros(size);
    let shifted = size << (zeros & vec4<u32>(31u));
    let kept = shifted >> vec4<u32>(8u);
    let lost = shifted & vec4<u32>(0xffu);
    var unit = kept + ((lost + vec4<u32>(0x7fu) + (kept & vec4<u32>(1u))) >> vec4<u32>(8u));
    if TO_ODD {
        unit = kept | min(lost, vec4<u32>(1u));
    }
    // The leading bit of the significand adds 1 to the exponent, as a carry does.
    let single = ((vec4<u32>(157u) - zeros) << vec4<u32>(23u)) + unit;
    // The top bit is 0 for 0 alone. FXC would multiply each arm of a `select` by a scale, and 0 by a negative one to +0.
    let is_number = bitcast<vec4<i32>>(shifted) >> vec4<u32>(31u);
    return (single | sign_of(bits)) & bitcast<vec4<u32>>(is_number);
}
