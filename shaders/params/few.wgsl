// The size of the table in a uniform block, for few channels.
//
// Provides: MAX_CHANNELS
const MAX_CHANNELS: u32 = 8u;
