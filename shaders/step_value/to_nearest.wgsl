// The rounding of a dequantisation to an f32, which may be rounded again.
//
// Provides: TO_ODD
const TO_ODD: bool = false;
