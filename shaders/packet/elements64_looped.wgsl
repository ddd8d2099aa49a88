// A packet is 16 bytes, here 2 elements. Long arithmetic is called in a loop: compilers inline each call, and two
// copies would take seconds to compile.
//
// Provides: packet
// Needs: element
fn packet(p: vec4<u32>) -> vec4<u32> {
    var both = p;
    for (var i = 0u; i < 2u; i++) {
        both = vec4<u32>(both.zw, element(both.xy));
    }
    return both;
}
