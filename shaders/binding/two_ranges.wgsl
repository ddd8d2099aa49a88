// Placement: src and dst in one buffer, too far apart for one binding. A buffer has one usage in a dispatch, so src is
// writable too. WGSL gives a binding one type per entry point, so each buffer is declared once per type.
//
// Provides: src_packets, src_words, dst_packets, dst_words, dst_contended_words
// Needs: Packet
@group(0) @binding(1) var<storage, read_write> src_packets: array<Packet>;
@group(0) @binding(1) var<storage, read_write> src_words: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst_packets: array<Packet>;
@group(0) @binding(2) var<storage, read_write> dst_words: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst_contended_words: array<atomic<u32>>;
