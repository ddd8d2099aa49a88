// A unit of a row in dst is an element.
fn row_unit(at: Place, unit: u32) {
    let i = unit - at.dst;
    store_dst(unit, element(load_src(at.src + i * params.geometry.src_step)));
}
