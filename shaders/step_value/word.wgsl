// An integer of 32 bits as it is, for the exact step, which makes a float of it.
//
// Provides: step_value, from_step_value
// Needs: narrow
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bits;
}

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return narrow(x);
}
