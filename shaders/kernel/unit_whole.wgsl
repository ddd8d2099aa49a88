// A unit of a row in dst is an element.
//
// Provides: row_unit
// Needs: params, Position, load_src, element, store_dst
fn row_unit(at: Position, unit: u32) {
    let i = unit - at.dst;
    store_dst(unit, element(load_src(at.src + i * params.geometry.row.src_stride)));
}
