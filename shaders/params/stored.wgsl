// The uniform block of a window where more channels have a clamp each than it can hold: these lie in a storage buffer.
//
// Provides: params, bounds, numbers, set_channel
// Needs: Bounds, Affine, Geometry, channel
struct Params {
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> operators: array<Operator>;

// Without alignments of its own, which naga's GLSL would not have in a storage buffer.
struct Operator {
    bounds: Bounds,
    affine: Affine,
}

// That of the elements that are worked on: looked up once, however many these are.
var<private> current: Operator;

fn set_channel(index: u32) {
    channel = index;
    current = operators[index];
}

fn bounds() -> Bounds {
    return current.bounds;
}

// Those of the affine step.
fn numbers() -> Affine {
    return current.affine;
}
