// The geometry of boxes, and the place of an invocation's box. `src/kernel/boxes.rs` is the host's half.
//
// Provides: Geometry, box_in_line
// Needs: params, WORKGROUP_SIZE, workgroup_index, Walk, Place, walk
struct Geometry {
    walk: Walk,
    src_pitch: vec4<u32>, // strides of src along the dimensions of a box, in elements
    dst_pitch: vec4<u32>, // strides of dst along these dimensions
    steps: vec4<u32>,     // squares: strides between boxes, see `squares.wgsl`
    counts: vec4<u32>,    // squares: numbers of boxes
}

// Neighbouring invocations take neighbouring boxes.
fn box_in_line(workgroup: vec3<u32>, invocation: u32) -> Place {
    return walk(workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation);
}
