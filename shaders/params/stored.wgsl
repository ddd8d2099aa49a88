// The uniform block of a window with more channels than a uniform block can hold. A storage buffer has their
// parameters.
//
// Provides: params, Parameters, parameters_of
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

fn parameters_of(index: u32) -> Parameters {
    return parameters[index];
}
