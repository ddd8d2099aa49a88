// The uniform block of a window where channels have a clamp each; as `one.wgsl` otherwise.
//
// Provides: params, bounds, numbers, set_channel
// Needs: Bounds, Affine, Geometry, OPERATORS, channel
struct Params {
    operators: array<Operator, OPERATORS>,
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;

struct Operator {
    @align(16) bounds: Bounds,
    @align(16) affine: Affine,
}

// That of the elements that are worked on: looked up once, however many these are.
var<private> current: Operator;

fn set_channel(index: u32) {
    channel = index;
    current = params.operators[index];
}

fn bounds() -> Bounds {
    return current.bounds;
}

// Those of the affine step.
fn numbers() -> Affine {
    return current.affine;
}
