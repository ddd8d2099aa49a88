// One run of pixels whose packets may begin at any channel. The run is cut into rows that begin at the same channel. A
// block takes one packet from each of several rows. `block_edges` takes the elements before the run's first whole
// packet and behind its last one. `src/kernel/block/around.rs` is the host's half.
//
// Provides: Geometry, Place, place, next_channel, block_edges
// Needs: params, WORKGROUP_SIZE, workgroup_index, divide, set_channel, element, load_src, store_dst
struct Geometry {
    src_start: u32, // start of the run, in elements
    dst_start: u32,
    length: u32,    // elements of the run
    ahead: u32,     // elements before the first whole packet
    behind: u32,    // elements from the run's start to the end of the last whole packet
    channels: u32,
    channels_multiplier: u32, // with the shift, divides by `channels`
    channels_shift: u32,
    pitch: u32,     // stride between rows, in elements: a multiple of `channels`
    step: u32,      // stride between columns
    columns: u32,   // blocks per row
    columns_multiplier: u32,
    columns_shift: u32,
    rows: u32,      // rows of a block
    last: u32,      // row of the last packet
    last_column: u32, // column of the last packet
    grid_width: u32,  // workgroups along x
}

// The start of an invocation's block.
struct Place {
    inside: bool, // whether the block is inside the run
    src: u32,     // in elements
    dst: u32,
    channel: u32,
    rows_left: u32, // rows of the run after the block's first row
}

fn place(workgroup: vec3<u32>, invocation: u32) -> Place {
    let g = params.geometry;
    let index = workgroup_index(workgroup, g.grid_width) * WORKGROUP_SIZE + invocation;
    let block = divide(index, g.columns_multiplier, g.columns_shift);
    let column = index - block * g.columns;
    let row = block * g.rows;
    let last = g.last - select(0u, 1u, column > g.last_column);
    let in_row = g.ahead + column * g.step;
    let at = in_row + row * g.pitch;
    return Place(row <= last, g.src_start + at, g.dst_start + at, channel_of(in_row), last - row);
}

// The channel of an element of the run.
fn channel_of(number: u32) -> u32 {
    let g = params.geometry;
    return number - divide(number, g.channels_multiplier, g.channels_shift) * g.channels;
}

// The first channel follows the last.
fn next_channel(channel: u32) -> u32 {
    let next = channel + 1u;
    return select(next, 0u, next == params.geometry.channels);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn block_edges(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let g = params.geometry;
    let i = workgroup.x * WORKGROUP_SIZE + invocation;
    let number = select(i - g.ahead + g.behind, i, i < g.ahead);
    if number >= g.length {
        return;
    }
    set_channel(channel_of(number));
    store_dst(g.dst_start + number, element(load_src(g.src_start + number)));
}
