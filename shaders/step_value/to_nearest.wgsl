// The rounding of an I32 to an f32, to be dequantised. The product may be rounded again.
//
// Provides: TO_ODD
const TO_ODD: bool = false;
