// Runs of blocks that begin anywhere in dst. An invocation takes a segment of a run, block after block. In the
// geometry, `blocks` has the blocks per run, the multiplier and shift to divide by the number of runs, and this number;
// `steps` has the strides between blocks in src and dst, and the workgroups of `block_edges` along x.
//
// Provides: Segment, segment, in_run, Edge, edge, joined
// Needs: params, WORKGROUP_SIZE, workgroup_index, walk, divide, Place, across
//
// The blocks of a segment, from `first` up to `end`.
struct Segment {
    first: u32,
    end: u32,
}

fn segment(at: Place, length: u32) -> Segment {
    let blocks = params.geometry.blocks;
    // The last dimension of the walk counts segments, so the quotient by the number of runs is the segment's number.
    let first = divide(at.x, blocks.y, blocks.z) * length;
    return Segment(first, min(first + length, blocks.x));
}

// The place of a run's `unit`-th block. `at` is the place of the run's `first`-th block.
fn in_run(at: Place, first: u32, unit: u32) -> Place {
    let steps = params.geometry.steps;
    let blocks = unit - first;
    return Place(true, at.src + blocks * steps.x, at.dst + blocks * steps.y, at.channel, unit, 0u);
}

// The packet that joins the last `phase` bytes of `before` and the first bytes of `next`. Elements have `size` bytes.
fn joined(phase: u32, size: u32, before: vec4<u32>, next: vec4<u32>) -> vec4<u32> {
    return across((16u - phase) & 15u, size, select(before, next, phase == 0u), next);
}

// An element beside the whole packets of a block's runs.
struct Edge {
    at: Place,
    run: u32,    // index among the block's runs
    number: u32, // index in the packet
}

fn edge(workgroup: vec3<u32>, invocation: u32, runs: u32, per_packet: u32) -> Edge {
    let w = params.geometry.walk;
    let index = workgroup_index(workgroup, params.geometry.steps.z) * WORKGROUP_SIZE + invocation;
    let block = index / (runs * per_packet);
    let at = walk(block);
    let inside = block < params.geometry.blocks.w;
    let place = Place(inside, at.src, at.dst, at.channel - w.first_channel, 0u, 0u);
    return Edge(place, index / per_packet % runs, index % per_packet);
}
