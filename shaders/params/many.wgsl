// How many channels' operators a uniform block has room for: many.
//
// Provides: OPERATORS
const OPERATORS: u32 = 100u;
