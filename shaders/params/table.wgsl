// The uniform block of a window where channels have a clamp each.
//
// Provides: params, Operator, operator_of
// Needs: Bounds, Affine, Geometry, OPERATORS
struct Params {
    operators: array<Operator, OPERATORS>,
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;

struct Operator {
    @align(16) bounds: Bounds,
    @align(16) affine: Affine,
}

fn operator_of(index: u32) -> Operator {
    return params.operators[index];
}
