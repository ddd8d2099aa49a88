// Items, rows or single elements along the first dimension of a walk: an invocation takes several of them, so that they
// share what finding the first one costs.
//
// Provides: ITEMS, SPLIT_ROWS, item
// Needs: params, ADJACENT, Position, channel_along
//
// Items that an invocation takes: 1, 4 or 8.
override ITEMS: u32 = 1u;

// Whether the first dimension counts segments of a row and not items.
override SPLIT_ROWS: bool = false;

// The `j`-th item of an invocation whose position is `at`: neighbours, or as many items apart as there are
// invocations, so that neighbouring invocations take neighbouring items.
fn item(at: Position, j: u32) -> Position {
    let apart = select(params.geometry.walk.dims[0].extent, 1u, ADJACENT);
    let ahead = j * apart + select(0u, at.index * (ITEMS - 1u), ADJACENT);
    let src = at.src + ahead * params.geometry.walk.dims[0].src_stride;
    let dst = at.dst + ahead * params.geometry.walk.dims[0].dst_stride;
    let index = at.index + ahead;
    return Position(0u, 0u, src, dst, index < params.geometry.walk.items, channel_along(at, 0u, index));
}
