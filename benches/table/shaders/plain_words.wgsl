// Any layout of up to three dimensions. An invocation writes a word of dst and fetches each element from its place in
// src. Rows may begin within a word. If TAKEN < CHANNELS, the last elements of every pixel in dst keep their values.
override RANK: u32;
// The dimension that has a clamp for each index; the innermost is 0. 3 if there is only one clamp.
override AXIS: u32;

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
