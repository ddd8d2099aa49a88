// How many operators a uniform block has room for where each is of four channels: many.
//
// Provides: OPERATORS
const OPERATORS: u32 = 60u;
