// The uniform block of a window (the dispatches on one set of bindings) with one clamp. The host writes the block;
// `resolve.wgsl` then writes the numbers that lie on the GPU. `element/` declares Bounds, `affine/` declares Affine,
// `kernel/` declares Geometry. Their Rust twins are in `src/arithmetic/` and `src/kernel/`.
//
// Provides: params, bounds, numbers, set_channel
// Needs: Bounds, Affine, Geometry
struct Params {
    @align(16) bounds: Bounds,
    @align(16) affine: Affine,
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;

fn bounds() -> Bounds {
    return params.bounds;
}

// The numbers of the affine step.
fn numbers() -> Affine {
    return params.affine;
}

// One clamp serves all elements.
fn set_channel(index: u32) {}
