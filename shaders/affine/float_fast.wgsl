// Floats of up to 32 bits by hardware arithmetic in f32, rounded to the dtype afterwards.
//
// Provides: Affine, affine
// Needs: params, magnitude, widen, narrow, INFINITY
struct Affine {
    scale: f32,
    bias: f32,
    infinity_mask: u32, // ±∞ becomes (bits & infinity_mask) ^ infinity_flip
    infinity_flip: u32,
}

// WGSL lets a device assume that NaN and ∞ do not happen, so bits decide what becomes of them.
fn affine(x: vec4<u32>) -> vec4<u32> {
    let a = params.affine;
    let size = magnitude(x);
    let finite = narrow(widen(x) * a.scale + a.bias);
    let infinite = (x & vec4<u32>(a.infinity_mask)) ^ vec4<u32>(a.infinity_flip);
    let infinity = vec4<u32>(INFINITY);
    return select(select(finite, infinite, size == infinity), x, size > infinity);
}
