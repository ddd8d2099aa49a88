// How many rounds each point of a grid takes to leave the circle of radius 2. Numbers are fixed-point, with 12
// fraction bits.

const FRACTION = 12u;
const ROUNDS = 40u;

struct View {
    corner: vec2<i32>,
    step: i32,
    @align(16) extent: vec2<u32>,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> rounds: array<u32>;

fn multiply(a: i32, b: i32) -> i32 {
    return (a * b) >> FRACTION;
}

@compute @workgroup_size(8, 2, 1)
fn mandelbrot(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let pixel = group.xy * vec2(8u, 2u) + local.xy;
    if any(pixel >= view.extent) {
        return;
    }
    let c = view.corner + vec2<i32>(pixel) * view.step;
    var z = vec2<i32>(0, 0);
    var n: u32 = 0;
    loop {
        if n == ROUNDS { break; }
        let squares = vec2(multiply(z.x, z.x), multiply(z.y, z.y));
        if squares.x + squares.y > 4 << FRACTION { break; }
        z = vec2(squares.x - squares.y, 2 * multiply(z.x, z.y)) + c;
        continuing { n++; }
    }
    rounds[pixel.y * view.extent.x + pixel.x] = n;
}
