// How many channels' operators a uniform block has room for: a few.
//
// Provides: OPERATORS
const OPERATORS: u32 = 8u;
