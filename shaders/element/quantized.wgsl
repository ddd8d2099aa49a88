// Integers of up to 16 bits, quantised from floats, four at a time: the rounded quotient plus the zero point.
//
// Provides: element, elements
// Needs: nan_counts_as, bounds, coefficients, step_value, quotient, from_key

// A quotient that saturates with every zero point.
const BEYOND: i32 = 0x40000;

// Bits decide about NaN and ∞, because WGSL lets a device assume that neither occurs.
fn elements(bits: vec4<u32>) -> vec4<u32> {
    let b = bounds();
    let a = coefficients();
    let x = step_value(bits);
    let size = x & vec4<u32>(0x7fffffffu);
    let number = select(quotient(size), vec4<i32>(BEYOND), size >= vec4<u32>(a.beyond_from));
    // All ones if the quotient is negative.
    let negative = bitcast<vec4<i32>>(x ^ vec4<u32>(a.sign)) >> vec4<u32>(31u);
    let nan = bitcast<i32>(nan_counts_as(bitcast<u32>(-BEYOND), bitcast<u32>(BEYOND)));
    let rounded = select((number ^ negative) - negative, vec4<i32>(nan), size > vec4<u32>(0x7f800000u));
    return from_key(max(vec4<i32>(b.min), min(rounded + vec4<i32>(a.zero_point), vec4<i32>(b.max))));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
