// Any layouts: one element per invocation.
struct Geometry {
    // Per dimension, the innermost first: extent, src stride, dst stride (both in elements, modulo 2^32).
    // Beyond the rank the extent is 1.
    dims: array<vec4<u32>, 8>,
    rank: u32,
    count: u32,      // elements
    src_start: u32,  // element of src with index 0
    dst_start: u32,  // element of dst with index 0
    row: u32,        // workgroups in a row of the grid
}

struct Cursor {
    rest: u32,
    src: u32,
    dst: u32,
}

fn advance(cursor: Cursor, dim: vec4<u32>) -> Cursor {
    let rest = cursor.rest / dim.x;
    let i = cursor.rest - rest * dim.x;
    return Cursor(rest, cursor.src + i * dim.y, cursor.dst + i * dim.z);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn strided(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let row = params.geometry.row;
    let index = (workgroup.y * row + workgroup.x) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.count {
        return;
    }
    let rank = params.geometry.rank;
    // Unrolled: naga's loops are not, and a dynamic index costs more than the branches.
    var at = Cursor(index, params.geometry.src_start, params.geometry.dst_start);
    at = advance(at, params.geometry.dims[0]);
    if rank > 1u {
        at = advance(at, params.geometry.dims[1]);
        if rank > 2u {
            at = advance(at, params.geometry.dims[2]);
            at = advance(at, params.geometry.dims[3]);
            if rank > 4u {
                at = advance(at, params.geometry.dims[4]);
                at = advance(at, params.geometry.dims[5]);
                at = advance(at, params.geometry.dims[6]);
                at = advance(at, params.geometry.dims[7]);
            }
        }
    }
    store_dst(at.dst, element(load_src(at.src)));
}
