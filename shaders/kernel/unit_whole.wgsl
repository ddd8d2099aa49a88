// A unit of a row in dst is one element.
//
// Provides: row_unit
// Needs: set_channel, Position, Row, load_src, element, store_dst
fn row_unit(at: Position, row: Row, unit: u32) {
    set_channel(at.channel);
    store_dst(unit, element(load_src(at.src + (unit - at.dst) * row.src_stride)));
}
