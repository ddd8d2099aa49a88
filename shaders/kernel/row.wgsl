// Rows: elements next to each other in dst.
//
// Provides: Row
struct Row {
    @size(4) length: u32,      // in elements
    @size(12) src_stride: u32, // from one to the next in src, in elements
}
