// A fill, sixteen 16-byte packets per invocation.
@group(0) @binding(0) var<storage, read> src: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    let a = (workgroup.y * grid.x + workgroup.x) * 4096u + invocation;
    let count = arrayLength(&dst);
    if a >= count {
        return;
    }
    let x = src[0];
    dst[a] = x;
    dst[select(a, a + 256u, a + 256u < count)] = x;
    dst[select(a, a + 512u, a + 512u < count)] = x;
    dst[select(a, a + 768u, a + 768u < count)] = x;
    dst[select(a, a + 1024u, a + 1024u < count)] = x;
    dst[select(a, a + 1280u, a + 1280u < count)] = x;
    dst[select(a, a + 1536u, a + 1536u < count)] = x;
    dst[select(a, a + 1792u, a + 1792u < count)] = x;
    dst[select(a, a + 2048u, a + 2048u < count)] = x;
    dst[select(a, a + 2304u, a + 2304u < count)] = x;
    dst[select(a, a + 2560u, a + 2560u < count)] = x;
    dst[select(a, a + 2816u, a + 2816u < count)] = x;
    dst[select(a, a + 3072u, a + 3072u < count)] = x;
    dst[select(a, a + 3328u, a + 3328u < count)] = x;
    dst[select(a, a + 3584u, a + 3584u < count)] = x;
    dst[select(a, a + 3840u, a + 3840u < count)] = x;
}
