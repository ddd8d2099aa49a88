// A generation of the Game of Life on a torus of cells, 32 to a word: an invocation for each word.

const WORDS_PER_ROW = 2u;
const ROWS = 16u;

@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;

fn cell(x: u32, y: u32) -> u32 {
    let column = x % (32u * WORDS_PER_ROW);
    let word = before[(y % ROWS) * WORDS_PER_ROW + column / 32u];
    return (word >> (column % 32u)) & 1u;
}

@compute @workgroup_size(2, 4)
fn generation(@builtin(global_invocation_id) id: vec3<u32>) {
    var word = 0u;
    for (var bit = 0u; bit < 32u; bit++) {
        let x = id.x * 32u + bit;
        var neighbours = 0u;
        for (var dy = 0u; dy < 3u; dy++) {
            for (var dx = 0u; dx < 3u; dx++) {
                if dx == 1u && dy == 1u {
                    continue;
                }
                neighbours += cell(x + 32u * WORDS_PER_ROW + dx - 1u, id.y + ROWS + dy - 1u);
            }
        }
        switch neighbours {
            case 2u: {
                word |= cell(x, id.y) << bit;
            }
            case 3u: {
                word |= 1u << bit;
            }
            default: {}
        }
    }
    after[id.y * WORDS_PER_ROW + id.x] = word;
}
