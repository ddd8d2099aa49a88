// Scale, bias and clamp as kernels are commonly written: one f32 per invocation.
struct Params {
    scale: f32,
    bias: f32,
    min: f32,
    max: f32,
}

override WORKGROUP: u32 = 64u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) grid: vec3<u32>) {
    let i = id.y * (grid.x * WORKGROUP) + id.x;
    if i < arrayLength(&dst) {
        dst[i] = clamp(src[i] * params.scale + params.bias, params.min, params.max);
    }
}
