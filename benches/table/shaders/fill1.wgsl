// A fill, one 16-byte packet per invocation.
@group(0) @binding(0) var<storage, read> src: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    let a = (workgroup.y * grid.x + workgroup.x) * 256u + invocation;
    if a < arrayLength(&dst) {
        dst[a] = src[0];
    }
}
