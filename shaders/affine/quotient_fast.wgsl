// The rounded quotient of a float and the scale, by a product with the scale's reciprocal in f32 arithmetic of the
// device.
//
// Provides: Coefficients, read_coefficients, quotient
// Needs: numbers, coefficients
struct Coefficients {
    reciprocal: f32,  // of the scale's magnitude; 1 if that is infinite
    sign: u32,        // a number with the scale's sign
    zero_point: i32,
    beyond_from: u32, // a magnitude of these bits or more has a quotient of BEYOND: ∞, or 1 if the reciprocal is infinite
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let second = numbers(channel, 1u);
    let reciprocal = second.x;
    let is_infinite = reciprocal == 0x7f800000u;
    let finite = bitcast<f32>(select(reciprocal, 0x3f800000u, is_infinite));
    let zero_point = bitcast<i32>(first.w);
    return Coefficients(finite, first.z, zero_point, select(0x7f800000u, 1u, is_infinite));
}

// The bits of the f32 2^18, `BEYOND`.
const BEYOND_SINGLE: u32 = 0x48800000u;

// The nearest integer, ties to even, of the quotient of magnitudes; at most BEYOND. Of NaN and ∞ any integer.
fn quotient(size: vec4<u32>) -> vec4<i32> {
    let product = bitcast<vec4<u32>>(bitcast<vec4<f32>>(size) * vec4<f32>(coefficients().reciprocal));
    // Devices agree on the conversion from f32 to i32 only for numbers that an i32 holds.
    let within = min(product, vec4<u32>(BEYOND_SINGLE));
    return vec4<i32>(round(bitcast<vec4<f32>>(within)));
}
