// The numbers of an operator, where the elements that are worked on at once have one clamp.
//
// Provides: Unsigned, Signed, Real
alias Unsigned = u32;
alias Signed = i32;
alias Real = f32;
