// Rows: adjacent elements of dst.
//
// Provides: Row
struct Row {
    @size(4) length: u32,      // in elements
    @size(12) src_stride: u32, // stride of src along the row, in elements
}
