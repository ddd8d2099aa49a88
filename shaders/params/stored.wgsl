// The uniform block of a window (the dispatches on one set of bindings) with more channels than the block can hold. A
// storage buffer has a table of their parameters: each number of all channels, then the next number, so that invocations
// that need neighbouring channels load neighbouring words. `src/arithmetic/parameters.rs` writes the table, `read_bounds`
// and `read_affine`.
//
// Provides: params, number, bounds, numbers, set_channel
// Needs: Bounds, Affine, Geometry, read_bounds, read_affine
struct Params {
    channels: u32,
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> table: array<u32>;

// Word `n` of a channel's parameters.
fn number(channel: u32, n: u32) -> u32 {
    return table[n * params.channels + channel];
}

// The parameters of the current channel, looked up once for all its elements.
var<private> current_bounds: Bounds;
var<private> current_affine: Affine;

fn set_channel(index: u32) {
    current_bounds = read_bounds(index);
    current_affine = read_affine(index);
}

fn bounds() -> Bounds {
    return current_bounds;
}

// The numbers of the affine step.
fn numbers() -> Affine {
    return current_affine;
}
