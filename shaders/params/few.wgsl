// The size of a uniform block's table: a few channels.
//
// Provides: MAX_CHANNELS
const MAX_CHANNELS: u32 = 8u;
