// Runs of blocks beside each other: neighbouring invocations take neighbouring blocks, and each stores the packets that
// join the end of its neighbour's block and its own. The geometry's `steps.w` is the log2 of the invocations that take one
// segment; the first of them only computes the block before it.
//
// Provides: Beside, beside, give, given
// Needs: params, WORKGROUP_SIZE, workgroup_index, walk, Place, segment, in_run, RUNS
struct Beside {
    takes: bool,  // whether there is a block
    stores: bool, // whether its packets are stored
    at: Place,
}

// The last packet of each invocation's block in each run.
var<workgroup> ends: array<vec4<u32>, WORKGROUP_SIZE * RUNS>;

fn beside(workgroup: vec3<u32>, invocation: u32) -> Beside {
    let w = params.geometry.walk;
    let log2 = params.geometry.steps.w;
    let index = workgroup_index(workgroup, w.grid_width) * (WORKGROUP_SIZE >> log2) + (invocation >> log2);
    let length = (1u << log2) - 1u;
    let start = walk(index);
    let run = Place(true, start.src, start.dst, start.channel - w.first_channel, index, 0u);
    let blocks = segment(run, length);
    let lane = invocation & length;
    // Wraps around before the first block of a run.
    let unit = blocks.first + lane - 1u;
    let takes = index < w.count && unit < blocks.end;
    return Beside(takes, takes && lane > 0u, in_run(run, blocks.first, unit));
}

fn give(invocation: u32, run: u32, packet: vec4<u32>) {
    ends[run * WORKGROUP_SIZE + invocation] = packet;
}

// The packet of the invocation before.
fn given(invocation: u32, run: u32) -> vec4<u32> {
    return ends[run * WORKGROUP_SIZE + invocation - 1u];
}
