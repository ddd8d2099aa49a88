// The rules of a call's clamps: bits of a word of the uniform block.
//
// Provides: MAX_WINS, NAN_TO_MIN, NAN_TO_MAX
const MAX_WINS: u32 = 1u; // where Min > Max
const NAN_TO_MIN: u32 = 2u; // a NaN counts as −∞
const NAN_TO_MAX: u32 = 4u; // a NaN counts as +∞
