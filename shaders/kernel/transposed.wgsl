// The fastest dimensions of src and dst differ, all else falls on packets: a square of elements per invocation, as many
// packets high as a packet has elements.

// Squares that a workgroup takes along src's fastest dimension, a power of two; along dst's what is left of 256.
override SQUARES: u32 = 16u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn transposed(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup);
    if number >= params.geometry.count {
        return;
    }
    // Along src's fastest dimension, then along dst's.
    let along_src = first_dimension(start(number));
    let along_dst = second_dimension(along_src);
    let x = invocation % SQUARES;
    let y = invocation / SQUARES;
    let outside_src = along_src.step * SQUARES + x >= params.geometry.squares_along_src;
    let high = WORKGROUP_SIZE / SQUARES;
    if outside_src || along_dst.step * high + y >= params.geometry.squares_along_dst {
        return;
    }
    let at = other_dimensions(along_dst);
    let side = 16u / ELEMENT_BYTES;
    let src_pitch = params.geometry.src_pitch;
    let dst_pitch = params.geometry.dst_pitch;
    transpose(at.src + x + y * side * src_pitch, src_pitch, at.dst + x * side * dst_pitch + y, dst_pitch);
}
