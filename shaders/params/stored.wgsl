// The uniform block of a window where more channels have a clamp each than it can hold: these lie in a storage buffer.
//
// Provides: params, Parameters, parameters_of
// Needs: Bounds, Affine, Geometry
struct Params {
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> parameters: array<Parameters>;

// Without alignments of its own, which naga's GLSL would not have in a storage buffer.
struct Parameters {
    bounds: Bounds,
    affine: Affine,
}

fn parameters_of(index: u32) -> Parameters {
    return parameters[index];
}
