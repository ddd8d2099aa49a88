// The uniform block of a window where a few channels have a clamp each; as `one.wgsl` otherwise.
//
// Provides: params, bounds, numbers, channel, set_channel, SOME_UNCHANGED
// Needs: Bounds, Affine, Geometry
struct Params {
    operators: array<Operator, OPERATORS>,
    @align(16) geometry: Geometry,
}

const OPERATORS: u32 = 8u;

@group(0) @binding(0) var<uniform> params: Params;

fn bounds() -> Bounds {
    return params.operators[channel].bounds;
}

// Those of the affine step.
fn numbers() -> Affine {
    return params.operators[channel].affine;
}

// The channel of the elements that are worked on, with lanes the first of four.
var<private> channel: u32 = 0u;

fn set_channel(index: u32) {
    channel = index;
}

struct Operator {
    @align(16) bounds: Bounds,
    @align(16) affine: Affine,
}

// Whether there may be a clamp without an affine step where the module has one.
const SOME_UNCHANGED: bool = true;
