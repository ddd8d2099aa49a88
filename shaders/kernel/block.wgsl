// The geometry of a tile for the text of a block; `src/kernel/block.rs` is the host's half.
//
// Provides: Geometry, Place, place
// Needs: params, WORKGROUP_SIZE, workgroup_index, Walk, walk
struct Geometry {
    walk: Walk,
    src_pitch: vec4<u32>, // strides of src along the dimensions of a block, in elements
    dst_pitch: vec4<u32>, // the same of dst
    steps: vec4<u32>,
    blocks: vec4<u32>,
}

// The start of an invocation's block.
struct Place {
    inside: bool, // whether the block is inside the tile
    src: u32,     // in elements
    dst: u32,
    channel: u32, // block index along the channels, 0 if the walk lacks that dimension; in `around` the channel
    x: u32,       // block index along src's fastest dimension (squares) or in the run (runs); else the linear index
    y: u32,       // block index along dst's fastest dimension (squares)
}

// Blocks in a line: neighbouring invocations take neighbouring blocks. The walk finds a block's place from its linear
// index, so y stays 0.
fn place(workgroup: vec3<u32>, invocation: u32) -> Place {
    let w = params.geometry.walk;
    let index = workgroup_index(workgroup, w.grid_width) * WORKGROUP_SIZE + invocation;
    let at = walk(index);
    return Place(index < w.count, at.src, at.dst, at.channel - w.first_channel, index, 0u);
}
