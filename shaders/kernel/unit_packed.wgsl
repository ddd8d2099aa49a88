// A unit of a row in dst is a word of several elements. At the row's ends, some elements may not belong to the row.
//
// Provides: row_unit
// Needs: SRC_IN_ROWS, set_channel, Position, Row, DST_BYTES, LANES, load_src, load_contended_src_word, lanes_of,
//     word_of, elements, load_contended_dst_word, store_contended_dst_word, flip_contended_dst_bits
fn row_unit(at: Position, row: Row, unit: u32) {
    set_channel(at.channel);
    let bits = DST_BYTES * 8u;
    let origin = unit * LANES;
    let lowest = max(at.dst, origin) - origin; // the row's first element in the word
    let highest = min(at.dst + row.length - origin, LANES) - 1u;

    // The source of the word's first element, even if that element lies before the row.
    let src = at.src + (origin - at.dst) * row.src_stride;
    var x = vec4<u32>(0u);
    if SRC_IN_ROWS {
        // The source is in one word or in two neighbouring words. If only one word has elements of the row, both loads
        // take that word.
        let a = load_contended_src_word((src + lowest) / LANES);
        let b = load_contended_src_word((src + highest) / LANES);
        let shift = (src & (LANES - 1u)) * bits;
        x = lanes_of((a >> shift) | ((b << 1u) << (31u - shift)));
    } else {
        // Lanes outside the row load some valid element; the mask drops them.
        x.x = load_src(src + lowest * row.src_stride);
        x.y = load_src(src + clamp(1u, lowest, highest) * row.src_stride);
        if LANES == 4u {
            x.z = load_src(src + clamp(2u, lowest, highest) * row.src_stride);
            x.w = load_src(src + highest * row.src_stride);
        }
    }

    let y = word_of(elements(x));
    let mask = (0xffffffffu >> (32u - (highest + 1u - lowest) * bits)) << (lowest * bits);
    if mask == 0xffffffffu {
        store_contended_dst_word(unit, y);
    } else {
        // Other invocations change their elements of the word: flip only the bits that change.
        flip_contended_dst_bits(unit, (load_contended_dst_word(unit) ^ y) & mask);
    }
}
