// Blocks in a line: neighbouring invocations take neighbouring blocks. The walk finds a block's place from its linear
// index, so y stays 0.
//
// Provides: place
// Needs: params, WORKGROUP_SIZE, workgroup_index, walk, Place
fn place(workgroup: vec3<u32>, invocation: u32) -> Place {
    let w = params.geometry.walk;
    let index = workgroup_index(workgroup, w.grid_width) * WORKGROUP_SIZE + invocation;
    let at = walk(index);
    return Place(index < w.count, at.src, at.dst, at.channel - w.first_channel, index, 0u);
}
