// A unit of a row in dst is an element.
//
// Provides: row_unit
// Needs: params, set_channel, Position, load_src, element, store_dst
fn row_unit(at: Position, unit: u32) {
    set_channel(at.channel);
    let i = unit - at.dst;
    store_dst(unit, element(load_src(at.src + i * params.geometry.row.src_stride)));
}
