// What the plain kernels have in common: where a picture lies, and what becomes of a component. Elements are of 8, 16 or
// 32 bits: u8, f16, f32.
override SRC_BITS: u32;
override DST_BITS: u32;
// From a pixel to the next, in elements, and how many of these are taken.
override CHANNELS: u32;
override TAKEN: u32;
// Whether there are a scale and a bias.
override AFFINE: bool;

struct Params {
    // Of a plane, and from a plane to the next.
    pixels: u32,
    // Where the first element lies.
    src: u32,
    dst: u32,
    padding: u32,
    min: f32,
    max: f32,
    // The same for bytes.
    least: u32,
    most: u32,
    scale: vec4<f32>,
    bias: vec4<f32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;

fn result(bits: u32, channel: u32) -> u32 {
    if SRC_BITS == 8u && DST_BITS == 8u && !AFFINE {
        return clamp(bits, params.least, params.most);
    }
    var x = bitcast<f32>(bits);
    if SRC_BITS == 8u {
        x = f32(bits);
    }
    if SRC_BITS == 16u {
        x = unpack2x16float(bits).x;
    }
    if AFFINE {
        x = x * params.scale[channel] + params.bias[channel];
    }
    x = clamp(x, params.min, params.max);
    if DST_BITS == 8u {
        return u32(round(x));
    }
    if DST_BITS == 16u {
        return pack2x16float(vec2(x, 0.0));
    }
    return bitcast<u32>(x);
}
