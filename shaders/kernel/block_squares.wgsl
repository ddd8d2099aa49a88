// Squares of blocks, for transposes: src and dst have different fastest dimensions, and a workgroup takes a square of
// blocks to fill cache lines on both sides. The geometry's `steps` has the strides between blocks in src and dst, along
// src's fastest dimension, then along dst's; its `blocks` has the numbers of blocks along these two dimensions.
//
// Provides: SQUARES, place_in_square
// Needs: params, WORKGROUP_SIZE, IN_SEQUENCE, workgroup_index, start, first_dimension, second_dimension,
//     other_dimensions, Place
//
// Blocks of a workgroup along src's fastest dimension, a power of two. Along dst's there are 256 / SQUARES.
override SQUARES: u32 = 16u;

fn place_in_square(workgroup: vec3<u32>, invocation: u32) -> Place {
    let g = params.geometry;
    let index = workgroup_index(workgroup, g.walk.grid_width);
    let along_src = first_dimension(start(index));
    let along_dst = second_dimension(along_src);
    let at = other_dimensions(along_dst);
    let across = WORKGROUP_SIZE / SQUARES;
    var i = invocation % SQUARES;
    var j = invocation / SQUARES;
    if !IN_SEQUENCE {
        // In step, up to four neighbours take blocks along dst, so that their stores fill sectors; 32 then cover eight
        // blocks along src, whose loads share lines.
        let near = select(min(across, 4u), across, SQUARES < 8u);
        let rows = across / near;
        i = (invocation / near) % 8u + 8u * (invocation / (8u * across));
        j = invocation % near + near * ((invocation / (8u * near)) % rows);
    }
    let x = along_src.index * SQUARES + i;
    let y = along_dst.index * across + j;
    let src = at.src + i * g.steps.x + j * g.steps.z;
    let dst = at.dst + i * g.steps.y + j * g.steps.w;
    let inside = index < g.walk.count && x < g.blocks.x && y < g.blocks.y;
    return Place(inside, src, dst, at.channel - g.walk.first_channel, x, y);
}
