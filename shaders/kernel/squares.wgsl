// Squares of boxes, for transposes: src and dst have different fastest dimensions, and a workgroup takes a square of
// boxes to fill cache lines on both sides. The walk's first dimension counts squares along src's fastest dimension, the
// second along dst's. The geometry's `steps` has the strides between boxes in src and dst, along the first, then along
// the second; its `counts` has the numbers of boxes along these two dimensions.
//
// Provides: SQUARES, box_in_square
// Needs: params, WORKGROUP_SIZE, workgroup_index, start, first_dimension, second_dimension, other_dimensions, Place
//
// Boxes of a workgroup along src's fastest dimension, a power of two. Along dst's there are 256 / SQUARES.
override SQUARES: u32 = 16u;

fn box_in_square(workgroup: vec3<u32>, invocation: u32) -> Place {
    let g = params.geometry;
    let along_src = first_dimension(start(workgroup_index(workgroup, g.walk.grid_width)));
    let along_dst = second_dimension(along_src);
    var at = other_dimensions(along_dst);
    let second = at_second(along_src.remaining, along_dst.remaining);
    // Of 32 neighbours, up to eight take boxes along src, whose loads share lines; the others take boxes along dst, so that
    // their stores fill sectors.
    let across = WORKGROUP_SIZE / SQUARES;
    let rows = min(SQUARES, 8u);
    let near = min(32u / rows, across);
    let i = (invocation / near) % rows + rows * (invocation / (rows * across));
    let j = invocation % near + near * ((invocation / (rows * near)) % (across / near));
    let x = along_src.index * SQUARES + i;
    let y = second * across + j;
    at.src += i * g.steps.x + j * g.steps.z;
    at.dst += i * g.steps.y + j * g.steps.w;
    at.channel = select(select(at.channel, y, g.walk.channel_dim == 1u), x, g.walk.channel_dim == 0u);
    at.inside = at.inside && x < g.counts.x && y < g.counts.y;
    return at;
}

// The index in the second dimension, from the linear indices before and after it.
fn at_second(before: u32, after: u32) -> u32 {
    return before - after * params.geometry.walk.dims[1].extent;
}
