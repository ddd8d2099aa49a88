// The uniform block of a window (the dispatches on one set of bindings) with the numbers of one clamp.
// `src/arithmetic/numbers.rs` lists the numbers. `element/` and `affine/` derive from them what they compute with.
//
// Provides: params, numbers, bounds, coefficients, set_channel
// Needs: Bounds, Coefficients, Geometry, read_bounds, read_coefficients
struct Params {
    rules: u32,
    @align(16) numbers: array<vec4<u32>, 5>,
    geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;

// The `n`-th four numbers of the clamp.
fn numbers(channel: u32, n: u32) -> vec4<u32> {
    return params.numbers[n];
}

fn bounds() -> Bounds {
    return read_bounds(numbers(0u, 0u));
}

fn coefficients() -> Coefficients {
    return read_coefficients(0u, numbers(0u, 0u));
}

// One clamp serves all elements.
fn set_channel(channel: u32) {}
