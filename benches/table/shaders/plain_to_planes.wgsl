// Interleaved pixels to planes: as many pixels per invocation as there are elements in a word, where both sides are of
// 32 bits one.
override PIXELS: u32;

// Those of the invocation's pixels.
var<private> words: array<u32, 4>;

fn element(pixel: u32, channel: u32) -> u32 {
    let n = pixel * CHANNELS + channel;
    return extractBits(words[n * SRC_BITS / 32u], n * SRC_BITS % 32u, SRC_BITS);
}

fn store(pixel: u32, channel: u32) {
    let at = params.dst + channel * params.pixels + pixel;
    let a = result(element(0u, channel), channel);
    if PIXELS == 1u {
        dst[at] = a;
        return;
    }
    let b = result(element(1u, channel), channel);
    if PIXELS == 2u {
        dst[at / 2u] = a | b << 16u;
        return;
    }
    let c = result(element(2u, channel), channel);
    let d = result(element(3u, channel), channel);
    if DST_BITS == 8u {
        dst[at / 4u] = a | b << 8u | c << 16u | d << 24u;
    }
    if DST_BITS == 16u {
        dst[at / 2u] = a | b << 16u;
        dst[at / 2u + 1u] = c | d << 16u;
    }
    if DST_BITS == 32u {
        dst[at] = a;
        dst[at + 1u] = b;
        dst[at + 2u] = c;
        dst[at + 3u] = d;
    }
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    let pixel = ((workgroup.y * grid.x + workgroup.x) * 256u + invocation) * PIXELS;
    if pixel >= params.pixels {
        return;
    }
    let at = (params.src + pixel * CHANNELS) / (32u / SRC_BITS);
    words[0] = src[at];
    words[1] = src[at + 1u];
    if CHANNELS > 2u {
        words[2] = src[at + 2u];
    }
    if CHANNELS > 3u {
        words[3] = src[at + 3u];
    }
    store(pixel, 0u);
    store(pixel, 1u);
    if TAKEN > 2u {
        store(pixel, 2u);
    }
    if TAKEN > 3u {
        store(pixel, 3u);
    }
}
