// A clamp of f32 as a program would write it for itself: 16 bytes per invocation, both bounds in a uniform buffer.
struct Params {
    min: f32,
    max: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> dst: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&dst) {
        dst[id.x] = clamp(src[id.x], vec4(params.min), vec4(params.max));
    }
}
