// Reads bounds, scale and bias from GPU buffers, and writes them into the parameters of a clamp before the clamp's own
// dispatches run. One invocation serves one channel: it writes Bounds, Affine or both into each block of parameters.
// Bounds of every dtype are computed in 64 bits, the low word first. `src/arithmetic/bounds.rs` and
// `src/arithmetic/float.rs` do the same for numbers that the host knows. The self-test's cases with numbers on the GPU
// (`src/self_test/slots.rs`) and `tests/gpu/properties.rs` compare the results with the reference.
//
// Provides: resolve, READS_MIN, READS_MAX, READS_SCALE, READS_BIAS, IS_EXACT
// Needs: WORKGROUP_SIZE, workgroup_index, less, add, subtract, shift_left, shift_right_signed
struct ResolveParams {
    // Each number's slot, or its value if the host knows it. Keys are two's complement and order elements.
    min_slot: Slot,
    max_slot: Slot,
    scale_slot: Slot,
    bias_slot: Slot,
    min_key: vec2<u32>,
    min_bits: vec2<u32>,
    max_key: vec2<u32>,
    max_bits: vec2<u32>,
    lowest: vec2<u32>,   // the key of an absent Min: no number has a smaller one
    highest: vec2<u32>,  // the key of an absent Max
    key_flip: vec2<u32>, // XOR that makes the key of a 32- or 64-bit unsigned integer
    sign: vec2<u32>,     // the sign bit of a float
    infinity: vec2<u32>,
    max_wins: u32,       // 1: Max wins if Min > Max
    is_float: u32,
    bits: u32,           // per element
    is_signed: u32,      // 1: a two's complement integer
    nan_becomes: u32,    // 0: itself, 1: Min, 2: Max
    scale: u32,          // the bits of an f32
    bias: u32,
    step_sign: u32,      // the sign bit of the affine step's format
    step_infinity: u32,
    step_exponent_bias: i32,
    step_shift: u32,     // left shift that moves the format's bits to the top of a word
    first_word: u32,     // index of the first channel's parameters
    affine_word: u32,    // words from a channel's first number to that of its Affine
    channel_words: u32,  // words from a channel's first number to that of the next channel
    number_words: u32,   // words from a channel's number to its next
    block_words: u32,    // words from a block to the next
    channels: u32,
    block_count: u32,
    grid_width: u32,
}

// The place of a number. x: the byte in its binding, for the first channel; y: bytes from one channel to the next.
alias Slot = vec2<u32>;

// READS_*: which numbers to read; their slots are bound in this order. IS_EXACT: whether Affine is the struct of
// `affine/sum.wgsl`; otherwise it is the struct of `affine/float_fast.wgsl`.
override READS_MIN: bool = false;
override READS_MAX: bool = false;
override READS_SCALE: bool = false;
override READS_BIAS: bool = false;
override IS_EXACT: bool = false;

@group(0) @binding(0) var<uniform> resolve_params: ResolveParams;
@group(0) @binding(1) var<storage, read> first_slot: array<u32>;
@group(0) @binding(2) var<storage, read> second_slot: array<u32>;
@group(0) @binding(3) var<storage, read> third_slot: array<u32>;
@group(0) @binding(4) var<storage, read_write> blocks: array<u32>;

// Loads word `at` of a slot's binding. `before`: how many slots are bound before this one.
fn slot_word(before: u32, at: u32) -> u32 {
    if before == 0u {
        return first_slot[at];
    }
    if before == 1u {
        return second_slot[at];
    }
    return third_slot[at];
}

struct Bound {
    key: vec2<u32>,
    bits: vec2<u32>,
}

fn is_set(bits: vec2<u32>) -> bool {
    return any(bits != vec2<u32>(0u));
}

fn key(bits: vec2<u32>) -> vec2<u32> {
    if resolve_params.is_float != 0u {
        let magnitude = bits & ~resolve_params.sign;
        return select(magnitude, ~magnitude, is_set(bits & resolve_params.sign));
    }
    var number = bits ^ resolve_params.key_flip;
    if resolve_params.is_signed != 0u || is_set(resolve_params.key_flip) {
        let unused = 64u - resolve_params.bits;
        number = shift_right_signed(shift_left(number, unused), unused);
    }
    return number;
}

// The bound of a channel from its slot. A NaN counts as absent.
fn found_bound(before: u32, slot: Slot, channel: u32, absent: Bound) -> Bound {
    let byte = slot.x + channel * slot.y;
    var bits = vec2<u32>(slot_word(before, byte >> 2u), 0u);
    if resolve_params.bits == 64u {
        bits.y = slot_word(before, (byte >> 2u) + 1u);
    } else {
        bits.x = (bits.x >> ((byte & 3u) * 8u)) & (0xffffffffu >> (32u - resolve_params.bits));
    }
    let is_nan = resolve_params.is_float != 0u && less(resolve_params.infinity, bits & ~resolve_params.sign);
    if is_nan {
        return absent;
    }
    return Bound(key(bits), bits);
}

// Stores word `i` of the struct whose first word is at `origin`.
fn put_word(origin: u32, i: u32, word: u32) {
    blocks[origin + i * resolve_params.number_words] = word;
}

// Stores number `i` of Bounds.
fn put(origin: u32, i: u32, number: vec2<u32>) {
    if resolve_params.bits < 64u {
        put_word(origin, i, number.x);
    } else {
        put_word(origin, 2u * i, number.x);
        put_word(origin, 2u * i + 1u, number.y);
    }
}

// Moves a 16-bit number to the upper half of its word; leaves numbers of other sizes unchanged.
fn upper(number: vec2<u32>) -> vec2<u32> {
    return select(number, number << vec2<u32>(16u), resolve_params.bits == 16u);
}

fn put_bounds(origin: u32, channel: u32) {
    let r = resolve_params;
    var low = Bound(r.min_key, r.min_bits);
    var high = Bound(r.max_key, r.max_bits);
    if READS_MIN {
        low = found_bound(0u, r.min_slot, channel, Bound(r.lowest, r.infinity | r.sign));
    }
    if READS_MAX {
        high = found_bound(u32(READS_MIN), r.max_slot, channel, Bound(r.highest, r.infinity));
    }
    if r.is_float == 0u {
        if less(high.key, low.key) {
            if r.max_wins != 0u {
                low = high;
            } else {
                high = low;
            }
        }
        put(origin, 0u, low.key);
        put(origin, 1u, high.key);
        return;
    }

    // −0 and +0 are equal, so a bound of one zero does not replace the other.
    let zero = vec2<u32>(0u);
    let one = vec2<u32>(1u, 0u);
    low.key = select(low.key, ~zero, all(low.key == zero));
    high.key = select(high.key, zero, all(high.key == ~zero));

    // The first key and the count of keys that each bound replaces, as in `FloatRanges` of `src/arithmetic/bounds.rs`.
    let nans_first = add(r.highest, one);
    let nans_count = subtract(r.lowest, nans_first);
    var below_first = r.lowest;
    var below_count = subtract(low.key, r.lowest);
    var above_first = add(high.key, one);
    var above_count = subtract(r.highest, high.key);
    let crossed = less(high.key, low.key);
    if crossed {
        if r.max_wins == 0u {
            high.bits = low.bits;
        } else {
            low.bits = high.bits;
        }
        above_first = r.lowest;
        above_count = subtract(nans_first, r.lowest);
        below_count = zero;
    }
    if r.nan_becomes == 1u || (r.nan_becomes == 2u && crossed) {
        below_first = nans_first;
        below_count = add(below_count, nans_count);
    } else if r.nan_becomes == 2u {
        above_count = add(above_count, nans_count);
    }
    put(origin, 0u, upper(below_first));
    put(origin, 1u, upper(below_count));
    put(origin, 2u, upper(above_first));
    put(origin, 3u, upper(above_count));
    put(origin, 4u, low.bits | upper(low.bits));
    put(origin, 5u, high.bits | upper(high.bits));
}

// The bits of a channel's f32 from its slot.
fn found_single(before: u32, slot: Slot, channel: u32) -> u32 {
    return slot_word(before, (slot.x + channel * slot.y) >> 2u);
}

// The significand of a finite f32, from the f32's bits without the sign: 0, or a number whose top bit is bit 23.
// `exponent` returns the exponent of the top bit.
fn significand(size: u32) -> u32 {
    let subnormal = size << ((countLeadingZeros(size) - 8u) & 31u);
    return select((size & 0x007fffffu) | 0x00800000u, subnormal, size < 0x00800000u);
}

fn exponent(size: u32) -> i32 {
    let subnormal = -118 - i32(countLeadingZeros(size));
    return select(i32(size >> 23u) - 127, subnormal, size < 0x00800000u);
}

// Computes with bits alone: a device may assume that no float is a NaN.
fn put_affine(origin: u32, channel: u32) {
    let r = resolve_params;
    var scale = r.scale;
    var bias = r.bias;
    let bounds = u32(READS_MIN) + u32(READS_MAX);
    if READS_SCALE {
        scale = found_single(bounds, r.scale_slot, channel);
    }
    if READS_BIAS {
        bias = found_single(bounds + u32(READS_SCALE), r.bias_slot, channel);
    }
    let no_sign = 0x7fffffffu;
    let infinity = 0x7f800000u;
    let no_number = (scale & no_sign) >= infinity || (bias & no_sign) >= infinity;
    let identity = scale == 0x3f800000u && (bias & no_sign) == 0u;
    scale = select(scale, 0u, no_number);
    bias = select(bias, 0u, no_number);
    let scale_size = scale & no_sign;
    let bias_size = bias & no_sign;

    // `affine/specials.wgsl` and `affine/found.wgsl` describe `infinity_flip`, `infinite_from` and `nan_from`. The
    // identity keeps every element: in an exact step the sum does so; in a fast step `infinite_from` is 0, so every
    // element counts as ∞ and is kept. (A step on integers ignores it: `x * 1 + 0` is exact there.)
    let sign = select(0u, r.step_sign, scale > scale_size);
    let flip = sign << r.step_shift;
    let infinite_from = select(r.step_infinity, 0u, identity && !IS_EXACT) << r.step_shift;
    let first_nan = select(r.step_infinity + 1u, r.step_infinity, scale_size == 0u);
    let nan_from = select(first_nan, 0u, no_number) << r.step_shift;
    if !IS_EXACT {
        put_word(origin, 0u, scale);
        put_word(origin, 1u, bias);
        put_word(origin, 2u, flip);
        put_word(origin, 3u, infinite_from);
        put_word(origin, 4u, nan_from);
        return;
    }
    // The exponent of a bias of 0 is far below every product's: `NO_BIAS` in `src/arithmetic/float.rs`.
    let bias_exponent = select(exponent(bias_size) + r.step_exponent_bias, -0x10000, bias_size == 0u);
    put_word(origin, 0u, significand(scale_size));
    put_word(origin, 1u, bitcast<u32>(exponent(scale_size)));
    put_word(origin, 2u, significand(bias_size) << 5u);
    put_word(origin, 3u, bitcast<u32>(bias_exponent));
    put_word(origin, 4u, sign);
    // The identity adds −0, so that zeros keep their signs.
    put_word(origin, 5u, select(0u, r.step_sign, bias > bias_size || identity));
    put_word(origin, 6u, flip);
    put_word(origin, 7u, infinite_from);
    put_word(origin, 8u, nan_from);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn resolve(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let r = resolve_params;
    let channel = workgroup_index(workgroup, r.grid_width) * WORKGROUP_SIZE + local;
    if channel >= r.channels {
        return;
    }
    for (var block = 0u; block < r.block_count; block++) {
        let origin = r.first_word + block * r.block_words + channel * r.channel_words;
        if READS_MIN || READS_MAX {
            put_bounds(origin, channel);
        }
        if READS_SCALE || READS_BIAS {
            put_affine(origin + r.affine_word, channel);
        }
    }
}
