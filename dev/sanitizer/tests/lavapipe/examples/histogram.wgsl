// Counts how often each of 16 levels occurs in bytes, and finds the least and the greatest byte. A word has four bytes.

struct Statistics {
    counts: array<atomic<u32>, 16>,
    least: atomic<u32>,
    greatest: atomic<u32>,
}

@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> statistics: Statistics;

@compute @workgroup_size(8)
fn histogram(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    // Each step skips the words that the other invocations take.
    for (var i = id.x; i < arrayLength(&pixels); i += 8u * groups.x) {
        let word = pixels[i];
        for (var shift = 0u; shift < 32u; shift += 8u) {
            let level = (word >> shift) & 0xffu;
            atomicAdd(&statistics.counts[level / 16u], 1u);
            atomicMin(&statistics.least, level);
            atomicMax(&statistics.greatest, level);
        }
    }
}
