// Packets of 32-bit components, one for each, to packets of pixels: the columns of their words.
//
// Provides: merge
// Needs: Four, from_columns
fn merge(p: Four) -> Four {
    return from_columns(p);
}
