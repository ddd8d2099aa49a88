// A copy with four 16-byte packets per invocation and the kernels' bindings. The kernels are compared with it.
@group(0) @binding(0) var<uniform> count: vec4<u32>;
@group(0) @binding(1) var<storage, read> src: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> dst: array<vec4<u32>>;

@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let a = workgroup.x * 1024u + invocation;
    if a >= count.x {
        return;
    }
    // Past the end, the invocation's first packet is copied again.
    let b = select(a, a + 256u, a + 256u < count.x);
    let c = select(a, a + 512u, a + 512u < count.x);
    let d = select(a, a + 768u, a + 768u < count.x);
    let x = src[a];
    let y = src[b];
    let z = src[c];
    let w = src[d];
    dst[a] = x;
    dst[b] = y;
    dst[c] = z;
    dst[d] = w;
}
