// The fastest dimensions of src and dst differ, all else falls on packets: a square of elements per invocation, as many
// packets high as a packet has elements.
//
// Provides: Geometry, SQUARES, transposed
// Needs: params, set_channel, WORKGROUP_SIZE, workgroup_index, Walk, start, first_dimension, second_dimension, other_dimensions,
//     DST_BYTES, PACKET_BYTES, transpose
struct Geometry {
    walk: Walk,
    squares_along_src: u32, // along src's fastest dimension
    squares_along_dst: u32,
    src_pitch: u32,         // src stride along dst's fastest dimension, in packets
    dst_pitch: u32,         // dst stride along src's
}

// Squares that a workgroup takes along src's fastest dimension, a power of two; along dst's what is left of 256.
override SQUARES: u32 = 16u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn transposed(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width);
    if index >= params.geometry.walk.count {
        return;
    }
    // Along src's fastest dimension, then along dst's.
    let along_src = first_dimension(start(index));
    let along_dst = second_dimension(along_src);
    let x = invocation % SQUARES;
    let y = invocation / SQUARES;
    let outside_src = along_src.index * SQUARES + x >= params.geometry.squares_along_src;
    let high = WORKGROUP_SIZE / SQUARES;
    if outside_src || along_dst.index * high + y >= params.geometry.squares_along_dst {
        return;
    }
    let at = other_dimensions(along_dst);
    set_channel(at.channel);
    let side = PACKET_BYTES / DST_BYTES;
    let src_pitch = params.geometry.src_pitch;
    let dst_pitch = params.geometry.dst_pitch;
    transpose(at.src + x + y * side * src_pitch, src_pitch, at.dst + x * side * dst_pitch + y, dst_pitch);
}
