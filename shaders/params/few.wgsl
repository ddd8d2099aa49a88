// How many channels' parameters a uniform block has room for: a few.
//
// Provides: MAX_CHANNELS
const MAX_CHANNELS: u32 = 8u;
