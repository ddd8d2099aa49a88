// Interleaved pixels to planes, or planes to pixels. An invocation takes as many pixels as a word has elements of the
// smaller dtype.
override PIXELS: u32;
override TO_PLANES: bool;

// The interleaved words of the invocation's pixels.
var<private> words: array<u32, 4>;

fn element(pixel: u32, channel: u32) -> u32 {
    let n = pixel * CHANNELS + channel;
    return result(extractBits(words[n * SRC_BITS / 32u], n * SRC_BITS % 32u, SRC_BITS), channel);
}

fn put(bits: u32, pixel: u32, channel: u32) {
    let n = pixel * CHANNELS + channel;
    words[n * DST_BITS / 32u] |= result(bits, channel) << ((n * DST_BITS) % 32u);
}

// Stores the elements of a channel to its plane.
fn store(at: u32, channel: u32) {
    let a = element(0u, channel);
    if PIXELS == 1u {
        dst[at] = a;
        return;
    }
    let b = element(1u, channel);
    if PIXELS == 2u {
        dst[at / 2u] = a | (b << 16u);
        return;
    }
    let c = element(2u, channel);
    let d = element(3u, channel);
    if DST_BITS == 8u {
        dst[at / 4u] = a | (b << 8u) | (c << 16u) | (d << 24u);
    } else if DST_BITS == 16u {
        dst[at / 2u] = a | (b << 16u);
        dst[at / 2u + 1u] = c | (d << 16u);
    } else {
        dst[at] = a;
        dst[at + 1u] = b;
        dst[at + 2u] = c;
        dst[at + 3u] = d;
    }
}

// Loads the elements of a channel from its plane.
fn load(at: u32, channel: u32) {
    let word = src[at / (32u / SRC_BITS)];
    put(extractBits(word, 0u, SRC_BITS), 0u, channel);
    if SRC_BITS == 32u && PIXELS == 4u {
        put(src[at + 1u], 1u, channel);
        put(src[at + 2u], 2u, channel);
        put(src[at + 3u], 3u, channel);
    } else if SRC_BITS == 16u {
        put(word >> 16u, 1u, channel);
    } else if SRC_BITS == 8u {
        put((word >> 8u) & 0xffu, 1u, channel);
        put((word >> 16u) & 0xffu, 2u, channel);
        put(word >> 24u, 3u, channel);
    }
}

fn move_channel(pixel: u32, channel: u32) {
    if channel >= TAKEN {
        return;
    }
    let at = channel * params.pixels + pixel;
    if TO_PLANES {
        store(params.dst + at, channel);
    } else {
        load(params.src + at, channel);
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
    var at = (params.dst + pixel * CHANNELS) / (32u / DST_BITS);
    if TO_PLANES {
        at = (params.src + pixel * CHANNELS) / (32u / SRC_BITS);
        words = array(src[at], src[at + 1u], 0u, 0u);
        if CHANNELS > 2u {
            words[2] = src[at + 2u];
        }
        if CHANNELS > 3u {
            words[3] = src[at + 3u];
        }
    } else if TAKEN < CHANNELS {
        // Four pixels of four bytes. The last byte of each keeps its value.
        let mask = 0xff000000u;
        words = array(dst[at] & mask, dst[at + 1u] & mask, dst[at + 2u] & mask, dst[at + 3u] & mask);
    }
    move_channel(pixel, 0u);
    move_channel(pixel, 1u);
    move_channel(pixel, 2u);
    move_channel(pixel, 3u);
    if !TO_PLANES {
        dst[at] = words[0];
        dst[at + 1u] = words[1];
        if CHANNELS > 2u {
            dst[at + 2u] = words[2];
        }
        if CHANNELS > 3u {
            dst[at + 3u] = words[3];
        }
    }
}
