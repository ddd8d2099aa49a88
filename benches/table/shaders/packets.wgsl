// A copy of 16-byte packets, or a fill with the source's first packet. `kernels.rs` writes the number of packets of a
// workgroup, and the loads and stores.
@group(0) @binding(1) var<storage, read> src: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> dst: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    let count = arrayLength(&dst);
    let first = (workgroup.y * grid.x + workgroup.x) * PER_WORKGROUP + invocation;
    if first < count {
        // Loads, then stores.
    }
}
