// For each element, the sum of the elements before it in its row; for each row, the total. One invocation per row.

override LENGTH: u32 = 8;

@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(1) @binding(0) var<storage, read_write> totals: array<u32>;

fn scan_row(first: u32, end: u32) -> u32 {
    var total: u32;
    var at = first;
    loop {
        if at >= end {
            break;
        }
        sums[at] = total;
        total += numbers[at];
        continuing {
            at += 1u;
        }
    }
    return total;
}

@compute @workgroup_size(4)
fn scan(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = id.x * LENGTH;
    let end = min(first + LENGTH, arrayLength(&numbers));
    if id.x < arrayLength(&totals) {
        totals[id.x] = scan_row(first, end);
    }
}
