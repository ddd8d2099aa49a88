// A copy, two 16-byte packets per invocation, both loads before either store.
@group(0) @binding(0) var<storage, read> src: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    let a = (workgroup.y * grid.x + workgroup.x) * 512u + invocation;
    let count = arrayLength(&dst);
    if a >= count {
        return;
    }
    // Past the end the first packet is copied once more.
    let b = select(a, a + 256u, a + 256u < count);
    let x = src[a];
    let y = src[b];
    dst[a] = x;
    dst[b] = y;
}
