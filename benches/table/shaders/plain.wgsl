// The part that the plain kernels share: where a tensor lies, and the result of an element. Elements are u8, i8, f16, i32 or f32.
override SRC_BITS: u32;
override DST_BITS: u32;
// Whether an integer has a sign; 32 bits without one are an f32.
override SRC_SIGNED: bool;
override DST_SIGNED: bool;
// From a pixel to the next, in elements, and how many of these are taken.
override CHANNELS: u32;
override TAKEN: u32;
// Whether there are a scale and a bias.
override AFFINE: bool;
// Whether there are more than four channels, so that their numbers lie in `table`.
override MANY: bool;

struct Params {
    // Of a plane, and from a plane to the next.
    pixels: u32,
    // Where the first element lies.
    src: u32,
    dst: u32,
    // From the first element of dst to the last, both included.
    span: u32,
    // Of dst's dimensions, the innermost first, and the source's strides along them.
    extents: vec4<u32>,
    strides: vec4<u32>,
    // Min, Max, scale and bias of each channel.
    numbers: array<vec4<f32>, 4>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;
@group(0) @binding(3) var<storage, read> table: array<vec4<f32>>;

fn widened(bits: u32) -> f32 {
    if SRC_BITS == 32u && !SRC_SIGNED {
        return bitcast<f32>(bits);
    }
    if SRC_BITS == 16u {
        return unpack2x16float(bits).x;
    }
    if SRC_SIGNED {
        return f32(extractBits(bitcast<i32>(bits), 0u, SRC_BITS));
    }
    return f32(bits);
}

fn narrowed(x: f32) -> u32 {
    if DST_BITS == 32u && !DST_SIGNED {
        return bitcast<u32>(x);
    }
    if DST_BITS == 16u {
        return pack2x16float(vec2(x, 0.0));
    }
    if DST_SIGNED {
        return extractBits(bitcast<u32>(i32(round(x))), 0u, DST_BITS);
    }
    return u32(round(x));
}

fn result(bits: u32, channel: u32) -> u32 {
    var numbers = params.numbers[channel & 3u];
    if MANY {
        numbers = table[channel];
    }
    if SRC_BITS == 8u && DST_BITS == 8u && !AFFINE {
        return clamp(bits, u32(numbers.x), u32(numbers.y));
    }
    var x = widened(bits);
    if AFFINE {
        x = x * numbers.z + numbers.w;
    }
    return narrowed(clamp(x, numbers.x, numbers.y));
}
