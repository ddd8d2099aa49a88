// The size of the table in a uniform block, for many channels.
//
// Provides: MAX_CHANNELS
const MAX_CHANNELS: u32 = 100u;
