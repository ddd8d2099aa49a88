// Planes to interleaved pixels: as many pixels per invocation as there are elements in a word, where both sides are of
// 32 bits one.
override PIXELS: u32;

// Those of the invocation's pixels.
var<private> words: array<u32, 4>;

fn put(bits: u32, pixel: u32, channel: u32) {
    let n = pixel * CHANNELS + channel;
    words[n * DST_BITS / 32u] |= result(bits, channel) << (n * DST_BITS % 32u);
}

fn load(pixel: u32, channel: u32) {
    let at = params.src + channel * params.pixels + pixel;
    if SRC_BITS == 32u {
        put(src[at], 0u, channel);
        if PIXELS == 4u {
            put(src[at + 1u], 1u, channel);
            put(src[at + 2u], 2u, channel);
            put(src[at + 3u], 3u, channel);
        }
        return;
    }
    let word = src[at / (32u / SRC_BITS)];
    if SRC_BITS == 16u {
        put(word & 0xffffu, 0u, channel);
        put(word >> 16u, 1u, channel);
        return;
    }
    put(word & 0xffu, 0u, channel);
    put(word >> 8u & 0xffu, 1u, channel);
    put(word >> 16u & 0xffu, 2u, channel);
    put(word >> 24u, 3u, channel);
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
    let at = (params.dst + pixel * CHANNELS) / (32u / DST_BITS);
    if TAKEN < CHANNELS {
        // Bytes, of which the last of each four stays.
        words[0] = dst[at] & 0xff000000u;
        words[1] = dst[at + 1u] & 0xff000000u;
        words[2] = dst[at + 2u] & 0xff000000u;
        words[3] = dst[at + 3u] & 0xff000000u;
    }
    load(pixel, 0u);
    load(pixel, 1u);
    if TAKEN > 2u {
        load(pixel, 2u);
    }
    if TAKEN > 3u {
        load(pixel, 3u);
    }
    dst[at] = words[0];
    dst[at + 1u] = words[1];
    if CHANNELS > 2u {
        dst[at + 2u] = words[2];
    }
    if CHANNELS > 3u {
        dst[at + 3u] = words[3];
    }
}
