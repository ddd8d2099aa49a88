// Elements of src of up to 32 bits, loaded into the low bits of a u32.
//
// Provides: load_src
// Needs: load_shared_word, SOURCE_LANES
fn load_src(i: u32) -> u32 {
    let bits = 32u / SOURCE_LANES;
    return (load_shared_word(i / SOURCE_LANES) >> (i % SOURCE_LANES * bits)) & (0xffffffffu >> (32u - bits));
}
