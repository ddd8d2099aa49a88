// Wrapping 64-bit arithmetic on two words, the low one first.
//
// Provides: less, less_unsigned, add, subtract, multiply, shift_left, shift_right, shift_right_signed,
//     leading_zeros

// a < b as two's complement numbers.
fn less(a: vec2<u32>, b: vec2<u32>) -> bool {
    let high_a = bitcast<i32>(a.y);
    let high_b = bitcast<i32>(b.y);
    return high_a < high_b || (high_a == high_b && a.x < b.x);
}

// a < b as unsigned numbers.
fn less_unsigned(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn subtract(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

// The 64-bit product of two words.
fn multiply(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 16u); // at most 2^32 - 2^16
    let cross = a0 * b1 + (middle & 0xffffu);
    return vec2<u32>((cross << 16u) | (low & 0xffffu), a1 * b1 + (middle >> 16u) + (cross >> 16u));
}

// v * 2^n, 0 <= n < 64.
fn shift_left(v: vec2<u32>, n: u32) -> vec2<u32> {
    let s = n & 31u;
    let w = select(v, vec2<u32>(0u, v.x), n >= 32u);
    return vec2<u32>(w.x << s, (w.y << s) | ((w.x >> 1u) >> (31u - s)));
}

// v / 2^n rounded down, v unsigned, 0 <= n < 64.
fn shift_right(v: vec2<u32>, n: u32) -> vec2<u32> {
    let s = n & 31u;
    let w = select(v, vec2<u32>(v.y, 0u), n >= 32u);
    return vec2<u32>((w.x >> s) | ((w.y << 1u) << (31u - s)), w.y >> s);
}

// v / 2^n rounded down, v two's complement, 0 <= n < 64.
fn shift_right_signed(v: vec2<u32>, n: u32) -> vec2<u32> {
    let s = n & 31u;
    let high = bitcast<i32>(v.y);
    let w = select(v, vec2<u32>(v.y, bitcast<u32>(high >> 31u)), n >= 32u);
    return vec2<u32>((w.x >> s) | ((w.y << 1u) << (31u - s)), bitcast<u32>(bitcast<i32>(w.y) >> s));
}

// Zero bits above the top bit; 64 for 0.
fn leading_zeros(v: vec2<u32>) -> u32 {
    return select(countLeadingZeros(v.y), 32u + countLeadingZeros(v.x), v.y == 0u);
}
