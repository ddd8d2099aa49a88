// A unit of a row in dst is a word of several elements, of which those at the row's ends may be others'.
fn row_unit(at: Place, unit: u32) {
    let bits = ELEMENT_BYTES * 8u;
    let origin = unit * LANES;
    let lowest = max(at.dst, origin) - origin; // the first element of the word that is the row's
    let highest = min(at.dst + params.geometry.length - origin, LANES) - 1u;

    // The source of the word's first element, whether it is the row's or not.
    let step = params.geometry.src_step;
    let src = at.src + (origin - at.dst) * step;
    var x = 0u;
    if step == 1u {
        // In one word or in two neighbours. Where all that counts lies in the second, both loads are of that.
        let a = load_shared_src_word((src + lowest) / LANES);
        let b = load_shared_src_word((src + highest) / LANES);
        let shift = (src & (LANES - 1u)) * bits;
        x = (a >> shift) | ((b << 1u) << (31u - shift));
    } else {
        for (var i = lowest; i <= highest; i++) {
            x |= load_src(src + i * step) << (i * bits);
        }
    }

    let y = word(x);
    let mask = (0xffffffffu >> (32u - (highest + 1u - lowest) * bits)) << (lowest * bits);
    if mask == 0xffffffffu {
        store_shared_dst_word(unit, y);
        return;
    }
    let old = load_shared_dst_word(unit);
    if params.geometry.owned != 0u {
        store_shared_dst_word(unit, (old & ~mask) | (y & mask));
    } else {
        // Others change their elements meanwhile: flip only the bits that change.
        flip_shared_dst_bits(unit, (old ^ y) & mask);
    }
}
