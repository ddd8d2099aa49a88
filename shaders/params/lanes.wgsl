// The numbers of an operator, where each of four elements that are worked on at once has a clamp of its own.
//
// Provides: Unsigned, Signed, Real
alias Unsigned = vec4<u32>;
alias Signed = vec4<i32>;
alias Real = vec4<f32>;
