// Packets of pixels of 32-bit components to packets of components, one for each: the columns of their words.
//
// Provides: split
// Needs: Four, columns_of
fn split(pixels: Four) -> Four {
    return columns_of(pixels);
}
