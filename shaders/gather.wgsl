// Gathers numbers that lie on the GPU into the table of channels' numbers, before the kernels of the same call. One
// invocation serves one channel. Copies bits alone: a device may assume that no float is a NaN.
//
// Provides: gather
// Needs: WORKGROUP_SIZE, workgroup_index, less_unsigned
struct GatherParams {
    slots: array<Slot, 3>,
    count: u32,    // slots that are read
    channels: u32, // channels that this dispatch serves
    grid_width: u32,
}

// A number's place, and what becomes of it.
struct Slot {
    @align(16) start: u32, // the byte in its binding for the first channel
    stride: u32,           // bytes from one channel to the next
    first: u32,            // index of the first channel's number in the table; those of further channels follow in steps of 4
    bits: u32,             // of the number
    unused: u32,           // bits above it in a word
    fill: u32,             // what these bits become: 0: zeros, 1: the sign, 2: the number again
    infinity: vec2<u32>,   // in the upper bits: a number of greater magnitude is a NaN and counts as `absent`
    absent: vec2<u32>,
}

@group(0) @binding(0) var<uniform> gather_params: GatherParams;
@group(0) @binding(1) var<storage, read> first_slot: array<u32>;
@group(0) @binding(2) var<storage, read> second_slot: array<u32>;
@group(0) @binding(3) var<storage, read> third_slot: array<u32>;
@group(0) @binding(4) var<storage, read_write> table: array<u32>;

// Loads word `at` of the `n`-th slot's binding.
fn slot_word(n: u32, at: u32) -> u32 {
    if n == 0u {
        return first_slot[at];
    }
    if n == 1u {
        return second_slot[at];
    }
    return third_slot[at];
}

// The number of a channel, the low word first.
fn gathered(n: u32, channel: u32) -> vec2<u32> {
    let slot = gather_params.slots[n];
    let byte = slot.start + channel * slot.stride;
    let word = slot_word(n, byte >> 2u);
    // In the upper bits.
    var number = vec2<u32>(0u, (word >> ((byte & 3u) * 8u)) << slot.unused);
    if slot.bits == 64u {
        number = vec2<u32>(word, slot_word(n, (byte >> 2u) + 1u));
    }
    if less_unsigned(slot.infinity, number & vec2<u32>(0xffffffffu, 0x7fffffffu)) {
        return slot.absent;
    }
    if slot.bits == 64u {
        return number;
    }
    if slot.fill == 1u {
        return vec2<u32>(bitcast<u32>(bitcast<i32>(number.y) >> slot.unused), 0u);
    }
    if slot.fill == 2u {
        return vec2<u32>(number.y | (number.y >> slot.unused), 0u);
    }
    return vec2<u32>(number.y >> slot.unused, 0u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn gather(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let channel = workgroup_index(workgroup, gather_params.grid_width) * WORKGROUP_SIZE + local;
    if channel >= gather_params.channels {
        return;
    }
    for (var n = 0u; n < gather_params.count; n++) {
        let number = gathered(n, channel);
        let at = gather_params.slots[n].first + 4u * channel;
        table[at] = number.x;
        if gather_params.slots[n].bits == 64u {
            table[at + 1u] = number.y;
        }
    }
}
