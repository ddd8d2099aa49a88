// The uniform block of a window, written by the host when it is created, but for bounds on the GPU, which
// `resolve.wgsl` writes. Bounds come with the element class, Affine with the affine step, Geometry with the kernel; their
// twins are in `src/arithmetic/` and `src/kernel/`.
//
// Provides: params, WORKGROUP_SIZE, ADJACENT
// Needs: Bounds, Affine, Geometry
struct Params {
    @align(16) bounds: Bounds,
    @align(16) affine: Affine,
    @align(16) geometry: Geometry,
}

@group(0) @binding(0) var<uniform> params: Params;

// Invocations in a workgroup, along x.
const WORKGROUP_SIZE: u32 = 256u;

// Whether the packets of an invocation lie next to each other: better where a thread runs the invocations of a workgroup
// one after the other. Otherwise neighbouring invocations take neighbouring packets, as GPUs want it.
override ADJACENT: bool = false;
