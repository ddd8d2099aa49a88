// How many channels' parameters a uniform block has room for: many.
//
// Provides: MAX_CHANNELS
const MAX_CHANNELS: u32 = 100u;
