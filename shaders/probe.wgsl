// Counts the finite F16s whose conversions by the device equal those by integer operations, and the others. An
// invocation takes one of the 65,536 F16s, or several if the grid is smaller, the midpoint to its neighbour further from
// zero, and the f32s next to both. `src/host/probe.rs` is the host's half.
//
// Provides: probe
// Needs: WORKGROUP_SIZE, workgroup_index, widened_by_device, widened_by_integers, narrowed_by_device,
//     narrowed_by_integers
struct Probe {
    right: atomic<u32>,
    wrong: atomic<u32>,
    width: u32,       // workgroups along x
    invocations: u32, // of the grid
    scale: f32,       // 1, which no compiler knows
    bias: f32,        // 0
}

@group(0) @binding(0) var<storage, read_write> found: Probe;

// As in an affine step: a device may have an instruction that widens, multiplies and adds.
fn scaled(x: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(bitcast<vec4<f32>>(x) * found.scale + found.bias);
}

fn is_narrowed(x: vec4<u32>) -> bool {
    // The lower halves may hold anything.
    return all((narrowed_by_device(x) ^ narrowed_by_integers(x)) < vec4<u32>(0x10000u));
}

fn is_right(number: u32) -> bool {
    let half = vec4<u32>(number);
    let size = number & 0x7fffu;
    let x = widened_by_integers(half).x;
    // Half a unit away. A subnormal counts units of 2^-24.
    let subnormal = bitcast<u32>(f32(2u * size + 1u) * 0x1p-25f) | ((number & 0x8000u) << 16u);
    let middle = select(x + 0x1000u, subnormal, size < 0x0400u);
    let before = select(x - 1u, x, size == 0u);
    return all(widened_by_device(half) == widened_by_integers(half))
        && all(scaled(widened_by_device(half)) == scaled(widened_by_integers(half)))
        && is_narrowed(vec4<u32>(before, x, x + 1u, middle))
        && is_narrowed(vec4<u32>(middle - 1u, middle, middle + 1u, x));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn probe(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let first = workgroup_index(workgroup, found.width) * WORKGROUP_SIZE + invocation;
    for (var number = first; number < 0x10000u; number += found.invocations) {
        let is_finite = (number & 0x7fffu) < 0x7c00u;
        if is_finite && is_right(number) {
            atomicAdd(&found.right, 1u);
        } else if is_finite {
            atomicAdd(&found.wrong, 1u);
        }
    }
}
