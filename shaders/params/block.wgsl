// The uniform block of a window (the dispatches on one set of bindings), with a table of the channels' parameters.
//
// Provides: params, bounds, numbers, set_channel
// Needs: Bounds, Affine, Geometry

// The most channels.
const MAX_CHANNELS: u32 = 100u;

struct Params {
    parameters: array<Parameters, MAX_CHANNELS>,
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;

struct Parameters {
    @align(16) bounds: Bounds,
    @align(16) affine: Affine,
}

// The parameters of the current channel, looked up once for all its elements.
var<private> current: Parameters;

fn set_channel(index: u32) {
    current = params.parameters[index];
}

fn bounds() -> Bounds {
    return current.bounds;
}

// The numbers of the affine step.
fn numbers() -> Affine {
    return current.affine;
}
