// The uniform block of a window with a table of channels.
//
// Provides: params, Parameters, parameters_of
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

fn parameters_of(index: u32) -> Parameters {
    return params.parameters[index];
}
