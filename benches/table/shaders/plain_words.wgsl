// A word of the destination per invocation, each of its elements fetched from where it lies: nothing need begin at a word.
override TO_PLANES: bool;

// Of the n-th result.
fn origin(n: u32) -> u32 {
    if TO_PLANES {
        return n % params.pixels * CHANNELS + n / params.pixels;
    }
    return n % CHANNELS * params.pixels + n / CHANNELS;
}

fn element(word: u32, lane: u32) -> u32 {
    let at_dst = word * 32u / DST_BITS + lane;
    // Before the first it wraps.
    let n = at_dst - params.dst;
    if n >= params.pixels * CHANNELS {
        return extractBits(dst[word], lane * DST_BITS, DST_BITS);
    }
    let at_src = params.src + origin(n);
    return result(extractBits(src[at_src * SRC_BITS / 32u], at_src * SRC_BITS % 32u, SRC_BITS), 0u);
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
    if DST_BITS == 16u {
        dst[word] = element(word, 0u) | element(word, 1u) << 16u;
    } else {
        dst[word] = element(word, 0u) | element(word, 1u) << 8u | element(word, 2u) << 16u | element(word, 3u) << 24u;
    }
}
