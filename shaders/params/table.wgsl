// The uniform block of a window (the dispatches on one set of bindings), and a table of all channels' numbers in a
// storage buffer: four numbers of all channels, then the next four, so that invocations that need neighbouring channels load
// neighbouring packets. The host writes the table; `gather.wgsl` then writes the numbers that lie on the GPU.
//
// Provides: params, numbers, bounds, coefficients, set_channel
// Needs: Bounds, Coefficients, Geometry, read_bounds, read_coefficients
struct Params {
    rules: u32,
    channels: u32,
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> table: array<vec4<u32>>;

// The `n`-th four numbers of a channel.
fn numbers(channel: u32, n: u32) -> vec4<u32> {
    return table[n * params.channels + channel];
}

// What follows from the numbers of the current channel, derived once for all its elements.
var<private> current_bounds: Bounds;
var<private> current_coefficients: Coefficients;

fn set_channel(channel: u32) {
    let first = numbers(channel, 0u);
    current_bounds = read_bounds(first);
    current_coefficients = read_coefficients(channel, first);
}

fn bounds() -> Bounds {
    return current_bounds;
}

fn coefficients() -> Coefficients {
    return current_coefficients;
}
