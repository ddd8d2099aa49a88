// How many steps it takes from each number to 1, or the greatest u32 where a step leaves 32 bits.

@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

fn steps_from(start: u32) -> u32 {
    var number = start;
    var steps = 0u;
    while number > 1u {
        if number % 2u == 0u {
            number = number / 2u;
        } else {
            if number >= 0x55555555u {
                return ~0u;
            }
            number = 3u * number + 1u;
        }
        steps += 1u;
    }
    return steps;
}

@compute @workgroup_size(16)
fn collatz(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&numbers) {
        return;
    }
    numbers[id.x] = steps_from(numbers[id.x]);
}
