// The size of an element of src.
//
// Provides: SRC_BYTES
const SRC_BYTES: u32 = 2u;
