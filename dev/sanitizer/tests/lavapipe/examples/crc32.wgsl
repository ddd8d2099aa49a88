// The CRC-32 of messages, one invocation per message. Messages are bytes, four to a word.

struct Message {
    // In bytes.
    first: u32,
    length: u32,
}

@group(0) @binding(0) var<storage, read> messages: array<Message>;
@group(0) @binding(1) var<storage, read> bytes: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

const NIBBLES = array<u32, 16>(
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
);

@compute @workgroup_size(4)
fn crc32(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&messages) {
        return;
    }
    let message = messages[id.x];
    var sum = 0xffffffffu;
    for (var at = message.first; at < message.first + message.length; at++) {
        sum ^= extractBits(bytes[at / 4u], 8u * (at % 4u), 8u);
        for (var half = 0; half < 2; half++) {
            sum = NIBBLES[sum & 0xfu] ^ (sum >> 4u);
        }
    }
    sums[id.x] = ~sum;
}
