// A module of its own: bounds that lie on the GPU. For each uniform block of a clamp an invocation reads them and
// writes Bounds, with which the block begins; the clamp's own dispatches then find them there. Every dtype is served
// in 64 bits, the low word first; `src/arithmetic/bounds.rs` does the same for bounds that the host knows.
//
// Provides: resolve
// Needs: workgroup_index, less, add, subtract, shift_left, shift_right_signed
struct ResolveParams {
    // Per bound: where it lies, or what the host knows. Keys order elements as two's complement numbers.
    min_key: vec2<u32>,
    min_bits: vec2<u32>,
    max_key: vec2<u32>,
    max_bits: vec2<u32>,
    lowest: vec2<u32>,   // the key of an absent Min: no number has a smaller one
    highest: vec2<u32>,  // the key of an absent Max
    min_word: u32,       // the word of the slot that holds the element, or its low half
    min_shift: u32,      // the element's first bit in that word
    max_word: u32,
    max_shift: u32,
    min_on_gpu: u32,
    max_on_gpu: u32,
    max_wins: u32,       // where Min > Max
    is_float: u32,
    bits: u32,           // of an element
    is_signed: u32,      // a two's complement integer
    block_words: u32,    // from a block to the next
    nan_becomes: u32,    // 0: stays, 1: −∞, 2: +∞
    key_flip: vec2<u32>, // what turns the bits of a 32- or 64-bit unsigned integer into its key
    sign: vec2<u32>,     // of a float
    infinity: vec2<u32>,
    blocks: u32,         // how many there are, in a grid of so many workgroups along x
    grid_width: u32,
}

@group(0) @binding(0) var<uniform> resolve_params: ResolveParams;
@group(0) @binding(1) var<storage, read> min_slot: array<u32>;
@group(0) @binding(2) var<storage, read> max_slot: array<u32>;
@group(0) @binding(3) var<storage, read_write> blocks: array<u32>;

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

// The bound whose words in the slot are `low` and `high`. A NaN never replaces anything.
fn bound(low: u32, high: u32, shift: u32, absent: Bound) -> Bound {
    var bits = vec2<u32>(low, high);
    if resolve_params.bits < 64u {
        bits = vec2<u32>((low >> shift) & (0xffffffffu >> (32u - resolve_params.bits)), 0u);
    }
    let is_nan = resolve_params.is_float != 0u && less(resolve_params.infinity, bits & ~resolve_params.sign);
    if is_nan {
        return absent;
    }
    return Bound(key(bits), bits);
}

// Number `i` of Bounds, which begin at word `origin`.
fn put(origin: u32, i: u32, number: vec2<u32>) {
    if resolve_params.bits < 64u {
        blocks[origin + i] = number.x;
    } else {
        blocks[origin + 2u * i] = number.x;
        blocks[origin + 2u * i + 1u] = number.y;
    }
}

// A number of 16 bits in the upper half of a word, another as it is.
fn upper(number: vec2<u32>) -> vec2<u32> {
    return select(number, number << vec2<u32>(16u), resolve_params.bits == 16u);
}

@compute @workgroup_size(1)
fn resolve(@builtin(workgroup_id) workgroup: vec3<u32>) {
    let r = resolve_params;
    let index = workgroup_index(workgroup, r.grid_width);
    if index >= r.blocks {
        return;
    }
    let origin = index * r.block_words;
    var low = Bound(r.min_key, r.min_bits);
    var high = Bound(r.max_key, r.max_bits);
    // A 64-bit element ends in the next word; for the others that may be beyond the slot.
    let next = select(0u, 1u, r.bits == 64u);
    if r.min_on_gpu != 0u {
        low = bound(min_slot[r.min_word], min_slot[r.min_word + next], r.min_shift, Bound(r.lowest, r.infinity | r.sign));
    }
    if r.max_on_gpu != 0u {
        high = bound(max_slot[r.max_word], max_slot[r.max_word + next], r.max_shift, Bound(r.highest, r.infinity));
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

    // Zeros are equal, so neither replaces the other.
    let zero = vec2<u32>(0u);
    let one = vec2<u32>(1u, 0u);
    low.key = select(low.key, ~zero, all(low.key == zero));
    high.key = select(high.key, zero, all(high.key == ~zero));

    // Keys that are replaced, and how many, as `FloatRanges` of `src/arithmetic/bounds.rs` has them.
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
