// Marks all products of two numbers above 1. Each number has a bit, each factor an invocation.

override END: u32;

@group(0) @binding(0) var<storage, read_write> composite: array<atomic<u32>>;

@compute @workgroup_size(8)
fn mark(@builtin(global_invocation_id) id: vec3u) {
    let factor = id.x + 2u;
    if factor * factor >= END { return; }
    var multiple = factor * factor;
    while (multiple < END) {
        atomicOr(&composite[multiple / 32u], 1u << (multiple & 31u));
        multiple += factor;
    }
}
