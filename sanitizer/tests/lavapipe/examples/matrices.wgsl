// The product of two matrices of integers, an invocation for each element.

struct Shape {
    rows: u32,
    inner: u32,
    columns: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> left: array<i32>;
@group(0) @binding(2) var<storage, read> right: array<i32>;
@group(0) @binding(3) var<storage, read_write> product: array<i32>;

@compute @workgroup_size(4, 4)
fn multiply(@builtin(global_invocation_id) id: vec3u) {
    let row = id.y;
    let column = id.x;
    if (row >= shape.rows || column >= shape.columns) {
        return;
    }
    var sum = 0;
    for (var k = 0u; k < shape.inner; k++) {
        sum += left[row * shape.inner + k] * right[k * shape.columns + column];
    }
    product[row * shape.columns + column] = sum;
}
