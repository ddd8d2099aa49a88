// The uniform block of a window with a table of channels.
//
// Provides: params, bounds, numbers, set_channel
// Needs: Bounds, Affine, Geometry, MAX_CHANNELS
struct Params {
    parameters: array<Parameters, MAX_CHANNELS>,
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;

struct Parameters {
    @align(16) bounds: Bounds,
    @align(16) affine: Affine,
}

// Looked up once for all elements of a channel.
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
