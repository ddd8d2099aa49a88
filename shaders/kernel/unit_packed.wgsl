// A unit of a row in dst is a word of several elements, of which those at the row's ends may be others'.
//
// Provides: row_unit, SRC_IN_ROWS, EXCLUSIVE_WORDS
// Needs: params, Position, ELEMENT_BYTES, LANES, load_src, word, load_contended_src_word, load_contended_dst_word,
//     store_contended_dst_word, flip_contended_dst_bits
fn row_unit(at: Position, unit: u32) {
    let bits = ELEMENT_BYTES * 8u;
    let origin = unit * LANES;
    let lowest = max(at.dst, origin) - origin; // the first element of the word that is the row's
    let highest = min(at.dst + params.geometry.row.length - origin, LANES) - 1u;

    // The source of the word's first element, whether it is the row's or not.
    let stride = params.geometry.row.src_stride;
    let src = at.src + (origin - at.dst) * stride;
    var x = 0u;
    if SRC_IN_ROWS {
        // In one word or in two neighbours. Where all that counts lies in the second, both loads are of that.
        let a = load_contended_src_word((src + lowest) / LANES);
        let b = load_contended_src_word((src + highest) / LANES);
        let shift = (src & (LANES - 1u)) * bits;
        x = (a >> shift) | ((b << 1u) << (31u - shift));
    } else {
        // Lanes outside the row load any valid element; the mask drops them.
        x = load_src(src + lowest * stride) | (load_src(src + clamp(1u, lowest, highest) * stride) << bits);
        if LANES == 4u {
            let high = load_src(src + clamp(2u, lowest, highest) * stride)
                | (load_src(src + highest * stride) << bits);
            x |= high << 16u;
        }
    }

    let y = word(x);
    let mask = (0xffffffffu >> (32u - (highest + 1u - lowest) * bits)) << (lowest * bits);
    if EXCLUSIVE_WORDS {
        var merged = y;
        if mask != 0xffffffffu {
            merged = (load_contended_dst_word(unit) & ~mask) | (y & mask);
        }
        store_contended_dst_word(unit, merged);
    } else if mask == 0xffffffffu {
        store_contended_dst_word(unit, y);
    } else {
        // Others change their elements meanwhile: flip only the bits that change.
        flip_contended_dst_bits(unit, (load_contended_dst_word(unit) ^ y) & mask);
    }
}

// Whether a row has no gaps in src.
override SRC_IN_ROWS: bool = false;

// Whether no word of dst holds elements of two rows.
override EXCLUSIVE_WORDS: bool = false;
