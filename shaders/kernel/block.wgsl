// What the text of a block is told of a tile; `src/kernel/block.rs` is the host's half.
//
// Provides: Geometry, Place
// Needs: Walk
struct Geometry {
    walk: Walk,
    src_pitch: vec4<u32>, // strides of src along the dimensions of a block, in elements
    dst_pitch: vec4<u32>, // those of dst
    steps: vec4<u32>,
    blocks: vec4<u32>,
}

// Where an invocation's block begins.
struct Place {
    inside: bool, // whether there is such a block
    src: u32,     // in elements
    dst: u32,
    channel: u32, // its number along the dimension of channels, where that is one of the walk's
    x: u32,       // of a square, its number along src's fastest dimension; of a run, its number there; else the linear index
    y: u32,       // of a square, its number along dst's fastest dimension
}
