// The part that the plain kernels share: where tensors lie, and an element's result. It takes u8, i8, f16, i32 and f32.
override SRC_BITS: u32;
override DST_BITS: u32;
// Whether elements are signed integers. If not, elements of 32 bits are f32.
override SRC_SIGNED: bool;
override DST_SIGNED: bool;
// Elements from one pixel to the next.
override CHANNELS: u32;
// Elements of each pixel that are clamped.
override TAKEN: u32;
// Whether there are a scale and a bias.
override AFFINE: bool;
// Whether there are more than four channels, so that their numbers lie in `table`.
override MANY: bool;

struct Params {
    // Pixels of a plane; the next plane begins right after.
    pixels: u32,
    // Index of the first element of src and of dst.
    src: u32,
    dst: u32,
    // Elements from dst's first to its last, both included.
    span: u32,
    // Extents of dst's dimensions, innermost first, and src's strides along the same dimensions.
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
    return narrowed(min(max(x, numbers.x), numbers.y));
}
