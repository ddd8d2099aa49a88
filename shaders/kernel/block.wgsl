// The geometry of a tile, and the place of an invocation's block in the tile. `src/kernel/block.rs` is the host's half.
//
// Provides: Geometry, Place, place
// Needs: params, WORKGROUP_SIZE, workgroup_index, Walk, walk
struct Geometry {
    walk: Walk,
    src_pitch: vec4<u32>, // strides of src along the dimensions of a block, in elements
    dst_pitch: vec4<u32>, // strides of dst along these dimensions
    steps: vec4<u32>,     // `block_squares`, `block_rows` and `block_runs` describe steps and blocks
    blocks: vec4<u32>,
}

// The start of an invocation's block.
struct Place {
    inside: bool, // whether the block is inside the tile
    src: u32,     // in elements
    dst: u32,
    channel: u32, // block index along the channels; 0 if the walk lacks that dimension
    x: u32,       // lines: the linear index; squares: block index along src's fastest dimension; runs: in the run
    y: u32,       // squares: block index along dst's fastest dimension; for x and y of rows, see `place_in_row`
}

// Blocks in a line: neighbouring invocations take neighbouring blocks. The walk finds a block's place from its linear
// index, so y stays 0.
fn place(workgroup: vec3<u32>, invocation: u32) -> Place {
    let w = params.geometry.walk;
    let index = workgroup_index(workgroup, w.grid_width) * WORKGROUP_SIZE + invocation;
    let at = walk(index);
    return Place(index < w.count, at.src, at.dst, at.channel - w.first_channel, index, 0u);
}
