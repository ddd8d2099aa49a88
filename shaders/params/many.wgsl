// The size of a uniform block's table: many channels.
//
// Provides: MAX_CHANNELS
const MAX_CHANNELS: u32 = 100u;
