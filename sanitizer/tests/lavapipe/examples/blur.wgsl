// The mean of 3 by 3 pixels around each, at the edges of those that there are. A pixel is four bytes.

struct Picture {
    size: vec2<u32>,
    pixels: array<u32>,
}

@group(0) @binding(0) var<storage, read> source: Picture;
@group(0) @binding(1) var<storage, read_write> blurred: array<u32>;

fn unpack(pixel: u32) -> vec4<u32> {
    return (vec4(pixel) >> vec4(0u, 8u, 16u, 24u)) & vec4(0xffu);
}

fn pack(channels: vec4<u32>) -> u32 {
    let moved = channels << vec4(0u, 8u, 16u, 24u);
    return moved.r | moved.g | moved.b | moved.a;
}

@compute @workgroup_size(4, 2)
fn blur(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = vec2<i32>(source.size);
    let centre = vec2<i32>(id.xy);
    if any(centre >= size) {
        return;
    }
    var sum = vec4<u32>();
    var count = 0u;
    for (var dy = -1; dy <= 1; dy++) {
        for (var dx = -1; dx <= 1; dx++) {
            let at = centre + vec2(dx, dy);
            if all(at >= vec2(0)) && all(at < size) {
                sum += unpack(source.pixels[at.y * size.x + at.x]);
                count++;
            }
        }
    }
    blurred[id.y * source.size.x + id.x] = pack((sum + count / 2u) / count);
}
