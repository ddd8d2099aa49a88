// Runs: elements of dst that are adjacent along one dimension or several, and begin anywhere. A unit is what an
// invocation of `stream` stores at once, a packet or a word. `src/kernel/run.rs` is the host's half.
//
// Provides: Geometry, place_in_runs, element_of_run, next_element, channel_in_run, whole_units, DEPTH, UNIT
// Needs: params, WORKGROUP_SIZE, workgroup_index, Walk, Place, RANK, walk, divide
struct RunDim {
    extent: u32,     // 1 beyond the depth
    src_stride: u32, // modulo 2^32, in elements
    multiplier: u32, // with the shift, divides by the extent
    shift: u32,
}

// The invocations of a kernel: some for each run.
struct Share {
    of_run: u32,     // invocations of a run
    multiplier: u32, // with the shift, divides by this number
    shift: u32,
    count: u32,      // all invocations
    @size(16) grid_width: u32, // workgroups along x
}

struct Geometry {
    walk: Walk,   // from run to run
    units: Share, // the invocations of `stream`
    words: Share, // the invocations of `words`
    run: array<RunDim, 8>, // the dimensions of a run, the innermost first
    length: u32,  // elements of a run
    whole_src: u32,   // elements in whole packets of src's binding; 2^32 - 1 if no unit loads further
    @size(8) run_channel_dim: u32, // the dimension of channels in `run`; 2^32 - 1 if none
}

// The run of an invocation. In the result, `index` is that of the invocation among those of the run.
fn place_in_runs(share: Share, workgroup: vec3<u32>, invocation: u32) -> Place {
    let index = workgroup_index(workgroup, share.grid_width) * WORKGROUP_SIZE + invocation;
    var run = 0u;
    if RANK > 0u {
        run = divide(index, share.multiplier, share.shift);
    }
    var at = walk(run);
    at.index = index - run * share.of_run;
    at.inside = index < share.count;
    return at;
}

// Elements of a unit.
override UNIT: u32 = 4u;

// The number of dimensions of a run: 1, 2, 4 or 8; later ones have extent 1.
override DEPTH: u32 = 8u;

// An element of a run: its address in src, and its indices along the dimensions.
struct Element {
    src: u32,
    low: vec4<u32>,
    high: vec4<u32>,
}

// The units that lie within a run, from x up to y. Leaves out those whose source does not lie in whole packets of src.
fn whole_units(at: Place) -> vec2<u32> {
    let g = params.geometry;
    let first = (at.dst + (UNIT - 1u)) / UNIT;
    // A run that begins behind the whole packets of src is shorter than a packet, because src's binding ends within the
    // next one. The difference then wraps, and no unit is whole.
    let length = min(g.length, g.whole_src - at.src);
    return vec2<u32>(first, max(first, (at.dst + length) / UNIT));
}

// The `n`-th element of the run that begins at `at`.
fn element_of_run(at: Place, n: u32) -> Element {
    let g = params.geometry;
    if DEPTH == 1u {
        return Element(at.src + n * g.run[0].src_stride, vec4<u32>(n, 0u, 0u, 0u), vec4<u32>(0u));
    }
    // Linear indices over the dimensions behind each.
    var low = vec4<u32>(divide(n, g.run[0].multiplier, g.run[0].shift), 0u, 0u, 0u);
    var high = vec4<u32>(0u);
    if DEPTH > 2u {
        low.y = divide(low.x, g.run[1].multiplier, g.run[1].shift);
        low.z = divide(low.y, g.run[2].multiplier, g.run[2].shift);
    }
    if DEPTH > 4u {
        low.w = divide(low.z, g.run[3].multiplier, g.run[3].shift);
        high.x = divide(low.w, g.run[4].multiplier, g.run[4].shift);
        high.y = divide(high.x, g.run[5].multiplier, g.run[5].shift);
        high.z = divide(high.y, g.run[6].multiplier, g.run[6].shift);
    }
    let extents = vec4<u32>(g.run[0].extent, g.run[1].extent, g.run[2].extent, g.run[3].extent);
    let further = vec4<u32>(g.run[4].extent, g.run[5].extent, g.run[6].extent, g.run[7].extent);
    let first = vec4<u32>(n, low.xyz) - low * extents;
    let second = vec4<u32>(low.w, high.xyz) - high * further;
    var src = at.src + first.x * g.run[0].src_stride + first.y * g.run[1].src_stride;
    if DEPTH > 2u {
        src += first.z * g.run[2].src_stride + first.w * g.run[3].src_stride;
    }
    if DEPTH > 4u {
        src += second.x * g.run[4].src_stride + second.y * g.run[5].src_stride;
        src += second.z * g.run[6].src_stride + second.w * g.run[7].src_stride;
    }
    return Element(src, first, second);
}

// x: an index along `dim`, 0 behind its end; y: by how much the index along the next dimension grows; z: the same of the
// address.
fn wrapped(index: u32, dim: RunDim, next: RunDim) -> vec3<u32> {
    let carry = vec3<u32>(0u, 1u, next.src_stride - dim.extent * dim.src_stride);
    return select(vec3<u32>(index, 0u, 0u), carry, index == dim.extent);
}

fn next_element(e: Element) -> Element {
    let g = params.geometry;
    var at = Element(e.src + g.run[0].src_stride, e.low + vec4<u32>(1u, 0u, 0u, 0u), e.high);
    if DEPTH > 1u {
        let x = wrapped(at.low.x, g.run[0], g.run[1]);
        at = Element(at.src + x.z, vec4<u32>(x.x, at.low.y + x.y, at.low.zw), at.high);
    }
    if DEPTH > 2u {
        let y = wrapped(at.low.y, g.run[1], g.run[2]);
        let z = wrapped(at.low.z + y.y, g.run[2], g.run[3]);
        at = Element(at.src + y.z + z.z, vec4<u32>(at.low.x, y.x, z.x, at.low.w + z.y), at.high);
    }
    if DEPTH > 4u {
        let w = wrapped(at.low.w, g.run[3], g.run[4]);
        let x = wrapped(at.high.x + w.y, g.run[4], g.run[5]);
        let y = wrapped(at.high.y + x.y, g.run[5], g.run[6]);
        let z = wrapped(at.high.z + y.y, g.run[6], g.run[7]);
        let high = vec4<u32>(x.x, y.x, z.x, at.high.w + z.y);
        at = Element(at.src + w.z + x.z + y.z + z.z, vec4<u32>(at.low.xyz, w.x), high);
    }
    return at;
}

// The index of an element along the dimension of channels; 0 if the run lacks it.
fn channel_in_run(e: Element) -> u32 {
    let d = params.geometry.run_channel_dim;
    var i = select(0u, e.low.x, d == 0u);
    if DEPTH > 1u {
        i = select(i, e.low.y, d == 1u);
    }
    if DEPTH > 2u {
        i = select(select(i, e.low.z, d == 2u), e.low.w, d == 3u);
    }
    if DEPTH > 4u {
        i = select(select(i, e.high.x, d == 4u), e.high.y, d == 5u);
        i = select(select(i, e.high.z, d == 6u), e.high.w, d == 7u);
    }
    return i;
}
