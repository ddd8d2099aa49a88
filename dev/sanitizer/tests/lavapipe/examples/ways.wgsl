// Places that are reached in several ways: by a known index, a computed index, a name or a pointer.

struct Pair {
    rows: array<vec2<u32>, 3>,
    last: u32,
}

@group(0) @binding(0) var<storage, read_write> results: array<u32>;

var<private> kept: array<u32, 4>;

fn raise(pair: ptr<function, Pair>, row: u32) {
    (*pair).rows[1].x += 100u;
    (*pair).rows[row].x += 10u;
    (*pair).rows[1][row & 1u] += 1000u;
}

@compute @workgroup_size(4)
fn reach(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x % 3u;

    var numbers = array<u32, 3>(1u, 2u, 3u);
    numbers[0] = 5u;
    numbers[n] = 7u;
    let first = numbers[0];
    numbers[0] += 20u;
    let again = numbers[n];

    var vector = vec3<u32>(1u, 2u, 3u);
    vector[n] = 9u;
    vector.y += 1u;
    let middle = vector[1] * 10u + vector[n];

    var pair = Pair();
    pair.last = 4u;
    let row = &pair.rows[n];
    pair.rows[1].x = 1u;
    raise(&pair, n);
    let whole = pair;
    *row += vec2(3u, 5u);
    pair.rows[2].y = (*row).x;

    kept[3] = 2u;
    kept[id.x % 4u] += 6u;

    let me = id.x * 8u;
    results[me] = first;
    results[me + 1u] = again;
    results[me + 2u] = middle;
    results[me + 3u] = whole.rows[n].x + whole.rows[1].y * 1000u;
    results[me + 4u] = pair.rows[2].y + pair.rows[n].y * 1000u;
    results[me + 5u] = pair.rows[1].x + pair.last;
    results[me + 6u] = kept[3];
    results[me + 7u] = numbers[0];
}
