// The uniform block of a window where more channels have a clamp each than it can hold: these lie in a storage buffer.
//
// Provides: params, bounds, numbers, channel, set_channel, SOME_UNCHANGED
// Needs: Bounds, Affine, Geometry
struct Params {
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> operators: array<Operator>;

fn bounds() -> Bounds {
    return operators[channel].bounds;
}

// Those of the affine step.
fn numbers() -> Affine {
    return operators[channel].affine;
}

// The channel of the elements that are worked on, with lanes the first of four.
var<private> channel: u32 = 0u;

fn set_channel(index: u32) {
    channel = index;
}

// Without alignments of its own, which naga's GLSL would not have in a storage buffer.
struct Operator {
    bounds: Bounds,
    affine: Affine,
}

// Whether there may be a clamp without an affine step where the module has one.
const SOME_UNCHANGED: bool = true;
