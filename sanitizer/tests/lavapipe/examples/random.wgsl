// Three generators of random numbers, one after the other, from a seed for each invocation.

struct Streams {
    lcg: u32,
    xorshift: u32,
    pcg: u32,
    mixed: vec3<u32>,
}

@group(0) @binding(0) var<storage, read_write> streams: array<Streams>;

var<private> state: u32;

fn lcg() -> u32 {
    state = state * 1664525u + 1013904223u;
    return state;
}

fn xorshift() -> u32 {
    state ^= state << 13u;
    state ^= state >> 17u;
    state ^= state << 5u;
    return state;
}

fn pcg() -> u32 {
    let before = state;
    state = before * 747796405u + 2891336453u;
    let word = ((before >> ((before >> 28u) + 4u)) ^ before) * 277803737u;
    return (word >> 22u) ^ word;
}

fn pcg3d(seed: vec3<u32>) -> vec3<u32> {
    var v = seed * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> vec3(16u);
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    return v;
}

@compute @workgroup_size(2, 2, 2)
fn generate(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let me = ((group.z * groups.y + group.y) * groups.x + group.x) * 8u + index;
    let result = &streams[me];
    state = me + 1u;
    (*result).lcg = lcg();
    (*result).xorshift = xorshift();
    (*result).pcg = pcg();
    (*result).mixed = pcg3d(group * 2u + local);
}
