// A step of a bitonic sort: pairs at a distance are put in order, upwards or downwards by the run that they are in.

struct Step {
    run: u32,
    distance: u32,
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read_write> keys: array<i32>;

fn order(a: ptr<function, i32>, b: ptr<function, i32>, upwards: bool) -> bool {
    if (*a > *b) != upwards {
        return false;
    }
    let kept = *a;
    *a = *b;
    *b = kept;
    return true;
}

@compute @workgroup_size(8)
fn exchange(@builtin(global_invocation_id) id: vec3<u32>) {
    let here = id.x;
    let there = here ^ step.distance;
    if there <= here || there >= arrayLength(&keys) {
        return;
    }
    var a = keys[here];
    var b = keys[there];
    if order(&a, &b, (here & step.run) == 0u) {
        keys[here] = a;
        keys[there] = b;
    }
}
