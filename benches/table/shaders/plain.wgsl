// The plain kernel: bare wgpu, as a program without this library would write it in ten minutes. It takes u8, i8, f16, i32
// and f32 in any layout of up to three dimensions. An invocation writes a word of dst and fetches each element from its
// place in src, found by divisions. Rows may begin within a word.
override SRC_BITS: u32;
override DST_BITS: u32;
// Whether elements are signed integers. If not, elements of 32 bits are f32.
override SRC_SIGNED: bool;
override DST_SIGNED: bool;
// Elements from one pixel to the next, or 0 if only the host knows; and those of each pixel that are clamped.
override CHANNELS: u32;
override TAKEN: u32;
// Whether there are a scale and a bias.
override AFFINE: bool;
// Whether there are more than four channels, so that their numbers lie in `table`.
override MANY: bool;
override RANK: u32;
// The dimension that has a clamp for each index; the innermost is 0. 3 if there is only one clamp.
override AXIS: u32;

struct Params {
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
    if SRC_BITS == 8u && DST_BITS == 8u && !SRC_SIGNED && !AFFINE {
        return clamp(bits, u32(numbers.x), u32(numbers.y));
    }
    var x = widened(bits);
    if AFFINE {
        x = x * numbers.z + numbers.w;
    }
    return narrowed(min(max(x, numbers.x), numbers.y));
}

fn element(word: u32, lane: u32) -> u32 {
    // Before the first element this wraps to a number above `span`.
    let n = word * (32u / DST_BITS) + lane - params.dst;
    var index = vec4(n, 0u, 0u, 0u);
    if RANK > 1u {
        // Compilers divide faster by a constant, which is known if the neighbours are a pixel's components.
        let inner = select(params.extents.x, CHANNELS, CHANNELS > 0u);
        index.x = n % inner;
        index.y = n / inner;
    }
    if RANK > 2u {
        index.z = index.y / params.extents.y;
        index.y = index.y % params.extents.y;
    }
    if n >= params.span || (TAKEN < CHANNELS && index.x >= TAKEN) {
        return extractBits(dst[word], lane * DST_BITS, DST_BITS);
    }
    var at = params.src + index.x * params.strides.x;
    if RANK > 1u {
        at += index.y * params.strides.y;
    }
    if RANK > 2u {
        at += index.z * params.strides.z;
    }
    let lanes = 32u / SRC_BITS;
    return result(extractBits(src[at / lanes], at % lanes * SRC_BITS, SRC_BITS), index[AXIS]);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    let word = (workgroup.y * grid.x + workgroup.x) * 256u + invocation;
    if word >= arrayLength(&dst) {
        return;
    }
    if DST_BITS == 32u {
        dst[word] = element(word, 0u);
    } else if DST_BITS == 16u {
        dst[word] = element(word, 0u) | element(word, 1u) << 16u;
    } else {
        dst[word] = element(word, 0u) | element(word, 1u) << 8u | element(word, 2u) << 16u | element(word, 3u) << 24u;
    }
}
