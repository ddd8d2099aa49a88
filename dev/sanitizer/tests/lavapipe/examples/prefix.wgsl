// Sums of each number and all before it in its workgroup, in eight rounds through workgroup memory.

const SIZE: u32 = 256u;

@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

var<workgroup> sums: array<u32, SIZE>;

@compute @workgroup_size(SIZE)
fn prefix(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    sums[lane] = numbers[id.x];
    workgroupBarrier();
    for (var reach = 1u; reach < SIZE; reach *= 2u) {
        var sum = sums[lane];
        if lane >= reach { sum += sums[lane - reach]; }
        workgroupBarrier();
        sums[lane] = sum;
        workgroupBarrier();
    }
    numbers[id.x] = sums[lane];
}
