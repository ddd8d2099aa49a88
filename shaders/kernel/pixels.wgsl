// Pixels, components next to each other, to planes of a component each, or the other way; or a run of elements to one
// of another size, which is pixels of one component. A unit is as many pixels as fill whole packets on both sides.
//
// gather: packets of src, of pixels or of each plane, at any distance from a packet
// convert: packet by packet of one component, and so of one channel
// store: packets of dst; where these do not begin with a unit, each is the end of one unit's and the begin of the next
//
// What a row has before its first whole packet of dst, and behind its last, is left to `pixel_edges`: as many
// elements as a packet holds.
//
// Provides: Geometry, to_planes, to_pixels, pixel_edges
// Needs: params, set_channel, WORKGROUP_SIZE, ADJACENT, workgroup_index, Walk, Position, walk, start, second_dimension,
//     other_dimensions, RANK, SRC_BYTES, DST_BYTES, PACKET_BYTES, packet_at, across, Four, COMPONENTS, split, merge,
//     SRC_PACKETS, DST_PACKETS, converted, LOOPED, load_src, element, store_dst, load_src_packet, load_dst_packet,
//     store_dst_packet
struct Geometry {
    walk: Walk,        // through segments of a row, then rows
    units: u32,        // of a row
    plane_step: u32,   // from a component's plane to the next one's, in elements
    channel_step: u32, // from a component's channel to the next one's: 0 or ± 1
    edge_rows: u32,
    edge_grid_width: u32, // workgroups of `pixel_edges` along x
}

// Components that are taken of a pixel, from its first one on.
override TAKEN: u32 = 3u;

// Whether units may begin within packets.
override SRC_SHIFTED: bool = true;
override DST_SHIFTED: bool = true;

// Units of a row that an invocation takes: two, or eight where they follow one another.
override UNITS: u32 = 8u;

const UNIT_PIXELS: u32 = PACKET_BYTES / min(SRC_BYTES, DST_BYTES);

// The packet of each stream, of pixels or of a plane, that its next unit begins in, where units follow one another.
var<private> ahead: Four;

fn units_follow() -> bool {
    return DST_SHIFTED || (SRC_SHIFTED && ADJACENT);
}

fn set_ahead(stream: u32, p: vec4<u32>) {
    if stream == 0u {
        ahead.a = p;
    }
    if stream == 1u {
        ahead.b = p;
    }
    if stream == 2u {
        ahead.c = p;
    }
    if stream == 3u {
        ahead.d = p;
    }
}

// The packet that a byte of a stream lies in, with which its units begin.
fn load_ahead(stream: u32, byte: u32) {
    if SRC_SHIFTED && units_follow() {
        set_ahead(stream, load_src_packet(packet_at(byte)));
    }
}

// `count` packets of 16 bytes, from a byte of src on. `last` is the last packet of the row: of those before it each
// holds something of the row, and no other is loaded.
fn gather(stream: u32, byte: u32, count: u32, last: u32) -> Four {
    let first = packet_at(byte);
    var p = Four();
    if SRC_SHIFTED && units_follow() {
        p.a = ahead.a;
        if stream == 1u {
            p.a = ahead.b;
        }
        if stream == 2u {
            p.a = ahead.c;
        }
        if stream == 3u {
            p.a = ahead.d;
        }
    } else {
        p.a = load_src_packet(first);
    }
    if count > 1u {
        p.b = load_src_packet(first + 1u);
    }
    if count > 2u {
        p.c = load_src_packet(first + 2u);
    }
    if count > 3u {
        p.d = load_src_packet(first + 3u);
    }
    if !SRC_SHIFTED {
        return p;
    }
    let behind = load_src_packet(min(first + count, last));
    set_ahead(stream, behind);
    let shift = byte & (PACKET_BYTES - 1u);
    if count == 1u {
        return Four(across(shift, SRC_BYTES, p.a, behind), p.b, p.c, p.d);
    }
    p.a = across(shift, SRC_BYTES, p.a, p.b);
    if count == 2u {
        p.b = across(shift, SRC_BYTES, p.b, behind);
        return p;
    }
    p.b = across(shift, SRC_BYTES, p.b, p.c);
    if count == 3u {
        p.c = across(shift, SRC_BYTES, p.c, behind);
        return p;
    }
    p.c = across(shift, SRC_BYTES, p.c, p.d);
    p.d = across(shift, SRC_BYTES, p.d, behind);
    return p;
}

// The last packet that each plane was to get, or the pixels: it ends in the next packet of dst.
var<private> carried: Four;

// The packet of plane `i` that begins at a byte of dst, which for the row's first one may lie within a packet. It may
// be only carried.
fn emit(i: u32, byte: u32, is_first: bool, stores: bool, p: vec4<u32>) {
    if !DST_SHIFTED {
        store_dst_packet(packet_at(byte), p);
        return;
    }
    var before = carried.a;
    if i == 0u {
        carried.a = p;
    }
    if i == 1u {
        before = carried.b;
        carried.b = p;
    }
    if i == 2u {
        before = carried.c;
        carried.c = p;
    }
    if i == 3u {
        before = carried.d;
        carried.d = p;
    }
    let phase = byte & (PACKET_BYTES - 1u);
    if stores && !(is_first && phase != 0u) {
        let shift = (PACKET_BYTES - phase) & (PACKET_BYTES - 1u);
        store_dst_packet(packet_at(byte), across(shift, DST_BYTES, select(before, p, phase == 0u), p));
    }
}

fn convert_plane(at: Position, i: u32, p: Four, n: u32) -> vec4<u32> {
    set_channel(at.channel + i * params.geometry.channel_step);
    return converted(p, n);
}

// The packets of component `i` of a unit.
fn emit_plane(at: Position, unit: u32, i: u32, stores: bool, p: Four) {
    let byte = (at.dst + i * params.geometry.plane_step + unit * UNIT_PIXELS) * DST_BYTES;
    if LOOPED {
        for (var n = 0u; n < DST_PACKETS; n++) {
            emit(i, byte + n * PACKET_BYTES, unit == 0u && n == 0u, stores, convert_plane(at, i, p, n));
        }
        return;
    }
    emit(i, byte, unit == 0u, stores, convert_plane(at, i, p, 0u));
    if DST_PACKETS > 1u {
        emit(i, byte + PACKET_BYTES, false, stores, convert_plane(at, i, p, 1u));
    }
    if DST_PACKETS > 2u {
        emit(i, byte + 2u * PACKET_BYTES, false, stores, convert_plane(at, i, p, 2u));
        emit(i, byte + 3u * PACKET_BYTES, false, stores, convert_plane(at, i, p, 3u));
    }
}

// Where a unit begins in src.

fn pixels_begin(at: Position, unit: u32) -> u32 {
    return (at.src + unit * UNIT_PIXELS * COMPONENTS) * SRC_BYTES;
}

fn plane_begins(at: Position, i: u32, unit: u32) -> u32 {
    return (at.src + i * params.geometry.plane_step + unit * UNIT_PIXELS) * SRC_BYTES;
}

fn unit_to_planes(at: Position, unit: u32, stores: bool) {
    let byte = pixels_begin(at, unit);
    let apart = COMPONENTS * PACKET_BYTES;
    // Behind the last component that is taken, there may be no more of src.
    let unused = (COMPONENTS - TAKEN) * SRC_BYTES;
    let last = packet_at(pixels_begin(at, params.geometry.units) - 1u - unused);
    let p = split(gather(0u, byte, COMPONENTS, last));
    var q = Four();
    var r = Four();
    var s = Four();
    if SRC_PACKETS > 1u {
        q = split(gather(0u, byte + apart, COMPONENTS, last));
    }
    if SRC_PACKETS > 2u {
        r = split(gather(0u, byte + 2u * apart, COMPONENTS, last));
        s = split(gather(0u, byte + 3u * apart, COMPONENTS, last));
    }
    if LOOPED {
        var planes = array<Four, 4>(
            Four(p.a, q.a, r.a, s.a),
            Four(p.b, q.b, r.b, s.b),
            Four(p.c, q.c, r.c, s.c),
            Four(p.d, q.d, r.d, s.d),
        );
        for (var i = 0u; i < TAKEN; i++) {
            emit_plane(at, unit, i, stores, planes[i]);
        }
        return;
    }
    emit_plane(at, unit, 0u, stores, Four(p.a, q.a, r.a, s.a));
    if TAKEN > 1u {
        emit_plane(at, unit, 1u, stores, Four(p.b, q.b, r.b, s.b));
    }
    if TAKEN > 2u {
        emit_plane(at, unit, 2u, stores, Four(p.c, q.c, r.c, s.c));
    }
    if TAKEN > 3u {
        emit_plane(at, unit, 3u, stores, Four(p.d, q.d, r.d, s.d));
    }
}

// Packets of component `i` of a unit.
fn gather_plane(at: Position, unit: u32, i: u32) -> Four {
    let last = packet_at(plane_begins(at, i, params.geometry.units) - 1u);
    return gather(i, plane_begins(at, i, unit), SRC_PACKETS, last);
}

fn all_ones(component: u32) -> vec4<u32> {
    return vec4<u32>(select(0u, 0xffffffffu, component < TAKEN));
}

// Packets of pixels, from a byte of dst on: the `n`-th packet of each plane.
fn emit_pixels(at: Position, byte: u32, is_first: bool, stores: bool, planes: array<Four, 4>, n: u32) {
    var p = Four();
    if TAKEN < COMPONENTS {
        // The others stay. No other invocation changes these packets.
        let i = packet_at(byte);
        p.a = load_dst_packet(i);
        p.b = load_dst_packet(i + 1u);
        if COMPONENTS > 2u {
            p.c = load_dst_packet(i + 2u);
        }
        if COMPONENTS > 3u {
            p.d = load_dst_packet(i + 3u);
        }
    }
    let old = p;
    if LOOPED {
        var all = planes;
        for (var i = 0u; i < TAKEN; i++) {
            all[i].a = convert_plane(at, i, all[i], n);
        }
        p = Four(all[0].a, all[1].a, all[2].a, all[3].a);
    } else {
        p.a = convert_plane(at, 0u, planes[0], n);
        if TAKEN > 1u {
            p.b = convert_plane(at, 1u, planes[1], n);
        }
        if TAKEN > 2u {
            p.c = convert_plane(at, 2u, planes[2], n);
        }
        if TAKEN > 3u {
            p.d = convert_plane(at, 3u, planes[3], n);
        }
    }
    var pixels = merge(p);
    if TAKEN < COMPONENTS {
        // A constant.
        let taken = merge(Four(all_ones(0u), all_ones(1u), all_ones(2u), all_ones(3u)));
        pixels.a = old.a ^ ((old.a ^ pixels.a) & taken.a);
        pixels.b = old.b ^ ((old.b ^ pixels.b) & taken.b);
        pixels.c = old.c ^ ((old.c ^ pixels.c) & taken.c);
        pixels.d = old.d ^ ((old.d ^ pixels.d) & taken.d);
    }
    emit(0u, byte, is_first, stores, pixels.a);
    if COMPONENTS > 1u {
        emit(0u, byte + PACKET_BYTES, false, stores, pixels.b);
    }
    if COMPONENTS > 2u {
        emit(0u, byte + 2u * PACKET_BYTES, false, stores, pixels.c);
    }
    if COMPONENTS > 3u {
        emit(0u, byte + 3u * PACKET_BYTES, false, stores, pixels.d);
    }
}

fn unit_to_pixels(at: Position, unit: u32, stores: bool) {
    var planes = array<Four, 4>();
    planes[0] = gather_plane(at, unit, 0u);
    if TAKEN > 1u {
        planes[1] = gather_plane(at, unit, 1u);
    }
    if TAKEN > 2u {
        planes[2] = gather_plane(at, unit, 2u);
    }
    if TAKEN > 3u {
        planes[3] = gather_plane(at, unit, 3u);
    }
    let byte = (at.dst + unit * UNIT_PIXELS * COMPONENTS) * DST_BYTES;
    let apart = COMPONENTS * PACKET_BYTES;
    if LOOPED {
        for (var n = 0u; n < DST_PACKETS; n++) {
            emit_pixels(at, byte + n * apart, unit == 0u && n == 0u, stores, planes, n);
        }
        return;
    }
    emit_pixels(at, byte, unit == 0u, stores, planes, 0u);
    if DST_PACKETS > 1u {
        emit_pixels(at, byte + apart, false, stores, planes, 1u);
    }
    if DST_PACKETS > 2u {
        emit_pixels(at, byte + 2u * apart, false, stores, planes, 2u);
        emit_pixels(at, byte + 3u * apart, false, stores, planes, 3u);
    }
}

// The `i`-th unit of a segment of a row.
fn unit_of(segment: u32, i: u32) -> u32 {
    if ADJACENT || units_follow() {
        return segment * UNITS + i;
    }
    return segment + i * params.geometry.walk.dims[0].extent;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn to_planes(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.walk.count {
        return;
    }
    let at = walk(index);
    let units = params.geometry.units;
    if UNITS == 2u && !LOOPED {
        unit_to_planes(at, unit_of(at.index, 0u), true);
        if unit_of(at.index, 1u) < units {
            unit_to_planes(at, unit_of(at.index, 1u), true);
        }
        return;
    }
    // Where packets are shared between units, the one before the first is only carried.
    let first = unit_of(at.index, 0u);
    let begin = first - select(0u, 1u, DST_SHIFTED && first > 0u);
    load_ahead(0u, pixels_begin(at, begin));
    if DST_SHIFTED && first > 0u {
        unit_to_planes(at, begin, false);
    }
    for (var i = 0u; i < UNITS; i++) {
        let unit = unit_of(at.index, i);
        if unit < units {
            unit_to_planes(at, unit, true);
        }
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn to_pixels(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.walk.count {
        return;
    }
    let at = walk(index);
    let units = params.geometry.units;
    if UNITS == 2u && !LOOPED {
        unit_to_pixels(at, unit_of(at.index, 0u), true);
        if unit_of(at.index, 1u) < units {
            unit_to_pixels(at, unit_of(at.index, 1u), true);
        }
        return;
    }
    // Where packets are shared between units, the one before the first is only carried.
    let first = unit_of(at.index, 0u);
    let begin = first - select(0u, 1u, DST_SHIFTED && first > 0u);
    load_ahead(0u, plane_begins(at, 0u, begin));
    if TAKEN > 1u {
        load_ahead(1u, plane_begins(at, 1u, begin));
    }
    if TAKEN > 2u {
        load_ahead(2u, plane_begins(at, 2u, begin));
    }
    if TAKEN > 3u {
        load_ahead(3u, plane_begins(at, 3u, begin));
    }
    if DST_SHIFTED && first > 0u {
        unit_to_pixels(at, begin, false);
    }
    for (var i = 0u; i < UNITS; i++) {
        let unit = unit_of(at.index, i);
        if unit < units {
            unit_to_pixels(at, unit, true);
        }
    }
}

// Whether a row of dst is one of pixels.
override PIXELS_IN_DST: bool = false;

// Sixteen invocations for each row of dst, up to four of which belong to the planes of a row.
@compute @workgroup_size(WORKGROUP_SIZE)
fn pixel_edges(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let g = params.geometry;
    let index = workgroup_index(workgroup, g.edge_grid_width) * WORKGROUP_SIZE + invocation;
    let row = index >> 6u;
    let plane = (index >> 4u) & 3u;
    let i = index & 15u;
    let per_packet = PACKET_BYTES / DST_BYTES;
    let planes = select(TAKEN, 1u, PIXELS_IN_DST);
    if row >= g.edge_rows || plane >= planes || i >= per_packet {
        return;
    }
    var at = start(row);
    if RANK > 1u {
        at = other_dimensions(second_dimension(at));
    }
    let begin = at.dst + plane * g.plane_step * select(1u, 0u, PIXELS_IN_DST);
    let phase = begin % per_packet;
    if phase == 0u {
        return;
    }
    // The first of the row before a packet, the last ones behind one.
    let length = g.units * UNIT_PIXELS * select(1u, COMPONENTS, PIXELS_IN_DST);
    let n = select(i, length - per_packet + i, i >= per_packet - phase);
    var component = plane;
    var src = at.src + plane + n * COMPONENTS;
    if PIXELS_IN_DST {
        let pixel = n / COMPONENTS;
        component = n - pixel * COMPONENTS;
        src = at.src + component * g.plane_step + pixel;
    }
    set_channel(at.channel + component * g.channel_step);
    store_dst(begin + n, element(load_src(src)));
}
