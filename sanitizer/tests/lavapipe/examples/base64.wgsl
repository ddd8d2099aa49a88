// Base64 of bytes, four to a word: an invocation for each three bytes, which become one word of text.

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> text: array<u32>;
@group(0) @binding(2) var<uniform> length: vec4<u32>;

fn byte(at: u32) -> u32 {
    return select(0u, extractBits(source[min(at / 4u, arrayLength(&source) - 1u)], 8u * (at & 3u), 8u), at < length.x);
}

fn letter(value: u32) -> u32 {
    if value < 26u {
        return 65u + value;
    } else if value < 52u {
        return 97u + value - 26u;
    } else if value < 62u {
        return 48u + value - 52u;
    }
    return select(47u, 43u, value == 62u);
}

@compute @workgroup_size(8)
fn encode(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = 3u * id.x;
    if first >= length.x {
        return;
    }
    let triple = (byte(first) << 16u) | (byte(first + 1u) << 8u) | byte(first + 2u);
    var word = 0u;
    for (var i = 0u; i < 4u; i++) {
        var character = letter(extractBits(triple, 18u - 6u * i, 6u));
        // Where there is no byte of which the letter tells a part.
        if first + i > length.x {
            character = 61u;
        }
        word = insertBits(word, character, 8u * i, 8u);
    }
    text[id.x] = word;
}
