// Rows without gaps on both sides, at any distance from a packet: two packets of dst per invocation, `row_edges` takes
// what is left.
@compute @workgroup_size(WORKGROUP_SIZE)
fn rows(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    let whole = whole_packets(at);
    let dst = whole.x + at.step * PACKETS_PER_STEP;
    if dst >= whole.y {
        return;
    }
    let second = dst + 1u < whole.y;
    let byte = at.src * ELEMENT_BYTES + ((dst << 4u) - at.dst * ELEMENT_BYTES);
    let src = byte >> 4u;
    let shift = byte & 15u;
    var x = load_src_packet(src);
    var y = x;
    if shift == 0u {
        if second {
            y = load_src_packet(src + 1u);
        }
    } else {
        let middle = load_src_packet(src + 1u);
        if second {
            y = funnel(middle, load_src_packet(src + 2u), shift);
        }
        x = funnel(x, middle, shift);
    }
    store_dst_packet(dst, packet(x));
    if second {
        store_dst_packet(dst + 1u, packet(y));
    }
}

const PACKETS_PER_STEP: u32 = 2u;

// The 16 bytes from byte `shift` of a on, the rest from b. `shift` is a multiple of the element.
fn funnel(a: vec4<u32>, b: vec4<u32>, shift: u32) -> vec4<u32> {
    let by_two = (shift & 8u) != 0u;
    let a2 = select(a, vec4<u32>(a.zw, b.xy), by_two);
    let b2 = select(b, b.zwzw, by_two);
    if ELEMENT_BYTES == 8u {
        return a2;
    }
    let by_one = (shift & 4u) != 0u;
    let a1 = select(a2, vec4<u32>(a2.yzw, b2.x), by_one);
    if ELEMENT_BYTES == 4u {
        return a1;
    }
    let next = vec4<u32>(a1.yzw, select(b2.x, b2.y, by_one));
    let bits = vec4<u32>((shift & 3u) << 3u);
    return (a1 >> bits) | ((next << vec4<u32>(1u)) << (vec4<u32>(31u) - bits));
}
