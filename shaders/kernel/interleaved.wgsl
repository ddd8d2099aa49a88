// Elements without gaps, those next to each other of different channels, src and dst at the same distance from a 16-byte
// boundary. `body` takes the whole packets, `edges` the up to two packets that the tile covers in part.
//
// Provides: Geometry, Order, Four, Eight, body, clamped_packet
// Needs: params, Run, set_channel, divide, WORKGROUP_SIZE, ADJACENT, LOOPED, workgroup_index, GROUPS_PER_PACKET, packet,
//     eight_packets, load_src_packet, store_dst_packet
struct Geometry {
    run: Run,
    adjacent: Order,
    apart: Order,
    groups: u32,            // of four elements, until the channels begin with one again
    groups_multiplier: u32, // divides by `groups`, with the shift
    @size(8) groups_shift: u32,
}

// Rows of packets that begin with the same channel each: an invocation takes a column of some of them, whose channels are
// the same, and looks their numbers up once.
struct Order {
    stride: u32,     // packets in a row
    multiplier: u32, // divides by `stride`, with the shift
    @size(8) shift: u32,
}

const PACKETS_PER_INVOCATION: u32 = 8u;

struct Four {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

struct Eight {
    low: Four,
    high: Four,
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn body(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.run.grid_width) * WORKGROUP_SIZE + invocation;
    if ADJACENT {
        take_column(index, params.geometry.adjacent);
    } else {
        take_column(index, params.geometry.apart);
    }
}

fn take_column(index: u32, order: Order) {
    let run = params.geometry.run;
    let stride = order.stride;
    let rows = divide(index, order.multiplier, order.shift);
    let a = run.first + (index - rows * stride) + rows * stride * PACKETS_PER_INVOCATION;
    let end = run.first + run.count;
    if a >= end {
        return;
    }
    let group = group_of(a);
    if LOOPED {
        for (var i = a; i < min(a + stride * PACKETS_PER_INVOCATION, end); i += stride) {
            set_channel(group);
            store_dst_packet(i, packet(load_src_packet(i + run.src_shift)));
        }
        return;
    }
    // All loads come before the first store. Packets beyond the end repeat packet a: same value, same owner, harmless.
    let columns = vec4<u32>(0u, 1u, 2u, 3u) * stride + vec4<u32>(a);
    let low = select(vec4<u32>(a), columns, columns < vec4<u32>(end));
    let below = columns + vec4<u32>(4u * stride);
    let high = select(vec4<u32>(a), below, below < vec4<u32>(end));
    let y = eight_packets(group, Eight(load_four(low), load_four(high)));
    store_four(low, y.low);
    store_four(high, y.high);
}

fn load_four(i: vec4<u32>) -> Four {
    let src = i + vec4<u32>(params.geometry.run.src_shift);
    return Four(load_src_packet(src.x), load_src_packet(src.y), load_src_packet(src.z), load_src_packet(src.w));
}

fn store_four(i: vec4<u32>, four: Four) {
    store_dst_packet(i.x, four.a);
    store_dst_packet(i.y, four.b);
    store_dst_packet(i.z, four.c);
    store_dst_packet(i.w, four.d);
}

// Packet `i` of dst.
fn clamped_packet(i: u32, p: vec4<u32>) -> vec4<u32> {
    set_channel(group_of(i));
    return packet(p);
}

// The first group of channels is that of the first whole packet.
fn group_of(i: u32) -> u32 {
    let g = params.geometry;
    // A packet that is covered in part may be one before the first.
    let group = (i + g.groups - g.run.first) * GROUPS_PER_PACKET;
    return group - divide(group, g.groups_multiplier, g.groups_shift) * g.groups;
}
