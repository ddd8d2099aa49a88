// The uniform block of a window (the dispatches on one set of bindings) with more channels than the block can hold. A
// storage buffer has their parameters.
//
// Provides: params, bounds, numbers, set_channel
// Needs: Bounds, Affine, Geometry
struct Params {
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> parameters: array<Parameters>;

// No @align: naga's GLSL would lose it in a storage buffer.
struct Parameters {
    bounds: Bounds,
    affine: Affine,
}

// The parameters of the current channel, looked up once for all its elements.
var<private> current: Parameters;

fn set_channel(index: u32) {
    current = parameters[index];
}

fn bounds() -> Bounds {
    return current.bounds;
}

// The numbers of the affine step.
fn numbers() -> Affine {
    return current.affine;
}
