// 64-bit integers: the exact value of `x * scale + bias`, rounded and saturated. Computed as in `integer.wgsl`, but in
// 96 bits: the low word first, the fourth word unused.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: numbers, coefficients, KEY_BASE, step_up, less, add, subtract, multiply, shift_left
struct Coefficients {
    lowest: vec2<u32>, // a key outside `lowest` to `highest` gets the result of the nearer end
    highest: vec2<u32>,
    origin: vec2<u32>, // subtracted from the key
    factor: u32,       // the scale is ± factor * 2^(shift_left - shift_right)
    negative: bool,    // whether the scale is negative
    shift_left: u32,
    shift_right: u32,
    inexact: bool,        // whether addend or offset was rounded down
    below_one: vec4<u32>, // mask of the bits that the shift to the right drops
    addend: vec4<u32>,    // added before the shift to the right
    offset: vec4<u32>,    // added after the shift
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let keys = numbers(channel, 1u);
    let second = numbers(channel, 2u);
    let third = numbers(channel, 3u);
    let fourth = numbers(channel, 4u);
    let shift_right = (second.w >> 8u) & 0xffu;
    let ones = (1u << (shift_right & 31u)) - 1u;
    let all = 0xffffffffu;
    let of_two = select(vec3<u32>(ones, 0u, 0u), vec3<u32>(all, ones, 0u), shift_right >= 32u);
    let below_one = vec4<u32>(select(of_two, vec3<u32>(all, all, ones), shift_right >= 64u), 0u);
    let offset = vec4<u32>(third.w, fourth.xy, 0u);
    return Coefficients(
        keys.xy, keys.zw, second.xy, second.z, (second.w & 0x20000u) != 0u, second.w & 0xffu, shift_right,
        (second.w & 0x10000u) != 0u, below_one, vec4<u32>(third.xyz, 0u), offset);
}

fn add96(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let low = add(a.xy, b.xy);
    let carry = low.y < a.y || (low.y == a.y && low.x < a.x);
    return vec4<u32>(low, a.z + b.z + select(0u, 1u, carry), 0u);
}

// v / 2^n rounded down, v two's complement, 0 <= n < 96.
fn shift_right_signed96(v: vec4<u32>, n: u32) -> vec4<u32> {
    let sign = bitcast<u32>(bitcast<i32>(v.z) >> 31u);
    var w = v.xyz;
    if n >= 32u {
        w = vec3<u32>(w.yz, sign);
    }
    if n >= 64u {
        w = vec3<u32>(w.yz, sign);
    }
    let s = n & 31u;
    let carried = (vec3<u32>(w.yz, sign) << vec3<u32>(1u)) << vec3<u32>(31u - s);
    return vec4<u32>((w >> vec3<u32>(s)) | carried, 0u);
}

fn affine(k: vec2<u32>) -> vec2<u32> {
    let a = coefficients();
    var x = k;
    x = select(x, a.highest, less(a.highest, x));
    x = select(x, a.lowest, less(x, a.lowest));
    x = shift_left(subtract(x, a.origin), a.shift_left);

    let x_negative = (x.y >> 31u) != 0u;
    let size = select(x, subtract(vec2<u32>(0u), x), x_negative);
    let low = multiply(size.x, a.factor);
    let high = add(multiply(size.y, a.factor), vec2<u32>(low.y, 0u));
    var product = vec4<u32>(low.x, high, 0u);
    if x_negative != a.negative {
        product = add96(~product, vec4<u32>(1u, 0u, 0u, 0u));
    }

    let sum = add96(product, a.addend);
    let floored = add96(shift_right_signed96(sum, a.shift_right), a.offset);
    let fraction = any((sum & a.below_one) != vec4<u32>(0u)) || a.inexact;
    let up = step_up(floored.x, floored.z, fraction);
    let carried = bitcast<u32>(up >> 31u);
    let result = add96(floored, vec4<u32>(bitcast<u32>(up), carried, carried, 0u));

    // A number that does not fit saturates.
    let sign = bitcast<u32>(bitcast<i32>(result.z) >> 31u);
    let fits = result.z == bitcast<u32>(bitcast<i32>(result.y & ~KEY_BASE) >> 31u);
    return select(vec2<u32>(~sign, sign ^ 0x7fffffffu), vec2<u32>(result.x, result.y ^ KEY_BASE), fits);
}
