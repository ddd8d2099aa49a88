//! Writes the lines that arrange loaded elements, clamp them and store packets.

use std::collections::HashMap;

use super::super::arrange::{self, Byte, Pairs};
use super::super::{Block, LANES, Numbers, Shape, Stores};
use super::{COMPONENTS, Element, Text, Words, plus, scaled};
use crate::arithmetic::{AffineStep, Arithmetic, Class};
use crate::fragment::{Fragment, fragment};
use crate::kernel::region::{DST, SRC};
use crate::kernel::{PACKET, Placement, WORD};

/// The most calls of an exact step outside a loop.
pub(in crate::kernel::block) const MOST_CALLS: usize = 4;

impl Block {
    /// Whether the text first arranges elements into packets of dst and then clamps whole packets. Otherwise it clamps
    /// first. Whole packets need one element size on both sides, one clamp per packet, and either packed arithmetic or
    /// elements that are words or larger.
    pub(in super::super) fn takes_packets(&self, arithmetic: Arithmetic) -> bool {
        let packed = self.size(DST) >= WORD || has_packed_form(arithmetic);
        if arithmetic.one_size().is_none() || !packed || self.stores == Stores::Words {
            return false;
        }
        let packets = packets(self, &self.elements());
        let of = |channel| packets.iter().filter(|packet| packet.channel() == Some(channel)).count();
        let one_clamp = packets.iter().all(|packet| packet.channel().is_some());
        // The loop over an exact step needs equally many parts of each channel.
        let alike = arithmetic.step != AffineStep::Exact || {
            let channels = self.elements().iter().map(|element| element.channel).max().unwrap_or(0);
            (0..=channels).all(|channel| of(channel) == of(0))
        };
        one_clamp && alike
    }
}

/// Whether the elements of a word are computed without unpacking them, see [`packet_fragment`].
const fn has_packed_form(arithmetic: Arithmetic) -> bool {
    let one_dtype = arithmetic.source as u8 == arithmetic.dtype as u8;
    match (arithmetic.dtype.size(), arithmetic.class()) {
        (1 | 2, Class::Integer) => one_dtype && matches!(arithmetic.step, AffineStep::None),
        (2, Class::Float) => one_dtype,
        _ => false,
    }
}

/// The fragment that computes whole packets of 8-byte elements, or of 1- or 2-byte elements with a [packed
/// form](has_packed_form).
pub(super) const fn packet_fragment(arithmetic: Arithmetic) -> Fragment {
    match (arithmetic.dtype.size(), arithmetic.class(), arithmetic.step) {
        (1, ..) => fragment!("packet/fields8"),
        (2, Class::Integer, _) => fragment!("packet/fields16"),
        (2, _, AffineStep::None) => fragment!("packet/halves16"),
        (2, ..) => fragment!("packet/upper16"),
        (.., AffineStep::Exact) => fragment!("packet/elements64_looped"),
        _ => fragment!("packet/elements64"),
    }
}

/// Maps the row and the offset in dst of each element to the indices of its part and of the element in that part.
type Places = HashMap<(usize, i32), (usize, usize)>;

/// Elements of one channel that are clamped at once, and others with the same sources.
struct Part {
    /// At least one.
    elements: Vec<Element>,
    /// Other elements of dst with the same sources; each list is as long as `elements`.
    again: Vec<Vec<Element>>,
    /// The expression of their bits.
    bits: String,
}

impl Part {
    /// Merges parts with equal bits if the block has one clamp. With several channels it merges none, so that each
    /// channel keeps equally many parts.
    fn apart(parts: impl Iterator<Item = (Vec<Element>, String)>, numbers: Numbers) -> Vec<Self> {
        let mut apart: Vec<Self> = Vec::new();
        let mut found = HashMap::new();
        for (elements, bits) in parts {
            let last = apart.len();
            let n = match numbers {
                Numbers::One | Numbers::Block => *found.entry(bits.clone()).or_insert(last),
                Numbers::Each => last,
            };
            match apart.get_mut(n) {
                Some(part) => part.again.push(elements),
                None => apart.push(Self { elements, again: Vec::new(), bits }),
            }
        }
        apart
    }
}

/// A packet of dst, or a word where a block [stores words](Stores::Words).
struct Packet {
    row: usize,
    /// Counted from the start of the row.
    number: usize,
    /// The element at each place, if any.
    places: Vec<Option<Element>>,
}

impl Packet {
    /// The channel of all its elements, if they share one.
    fn channel(&self) -> Option<u8> {
        let mut channels = self.places.iter().flatten().map(|element| element.channel);
        let first = channels.next()?;
        channels.all(|channel| channel == first).then_some(first)
    }

    /// Whether some of its bytes keep their values.
    fn keeps(&self) -> bool {
        self.places.iter().any(Option::is_none)
    }
}

/// The packets of dst that hold `elements`.
fn packets(block: &Block, elements: &[Element]) -> Vec<Packet> {
    let per_store = block.per_store();
    let mut packets: Vec<Packet> = Vec::new();
    for element in elements {
        let (row, place) = (element.rows[DST], element.offsets[DST] as usize);
        let number = place / per_store;
        if packets.last().is_none_or(|last| (last.row, last.number) != (row, number)) {
            packets.push(Packet { row, number, places: vec![None; per_store] });
        }
        let packet = packets.last_mut().expect("one was added");
        packet.places[place % per_store] = Some(*element);
    }
    packets
}

impl Text<'_> {
    pub(super) fn clamp_and_store(&mut self, loaded: &Words) {
        let packets = packets(self.block, &self.elements);
        if !self.runs_beside() {
            self.dst_rows();
        }
        for (n, packet) in packets.iter().enumerate().filter(|(_, packet)| packet.keeps()) {
            let at = self.at(packet);
            let words = [0, 1, 2, 3].map(|word| format!("load_src_word(({at}) * 4u + {word}u)"));
            // If one binding holds src and dst, and the text loads src by words, it loads dst by words too.
            let loaded = if self.by_words() {
                format!("vec4<u32>({})", words.join(", "))
            } else {
                format!("load_dst_packet({at})")
            };
            self.line(format!("let old_{n} = {loaded};"));
        }
        let parts = self.parts(&packets, loaded);
        self.clamp(&parts, &packets);
    }

    /// Writes where the rows of dst begin.
    pub(super) fn dst_rows(&mut self) {
        for (r, row) in self.block.rows(DST).iter().enumerate() {
            if self.in_rows() {
                if r > 0 {
                    let per_store = self.block.per_store();
                    self.line(format!("let row_{r} = {r}u * (params.geometry.dst_pitch.x / {per_store}u);"));
                }
                continue;
            }
            let start = self.row(DST, *row, -i32::from(self.block.kept_before));
            let per_store = self.block.per_store();
            if self.joins() {
                self.line(format!("let from_dst_{r} = {start};"));
                self.line(format!("let to_{r} = from_dst_{r} / {per_store}u;"));
                let places = format!("from_dst_{r} % {per_store}u");
                self.line(format!("let phase_{r} = {};", scaled(&places, '*', self.block.size(DST))));
            } else {
                self.line(format!("let to_{r} = {};", scaled(&start, '/', per_store)));
            }
        }
    }

    /// The parts, channel by channel.
    fn parts(&mut self, packets: &[Packet], loaded: &Words) -> Vec<Part> {
        if self.takes_packets {
            let mut pairs = Pairs::default();
            let part = |packet: &Packet| {
                let elements = packet.places.iter().flatten().copied().collect();
                (elements, self.arranged(&packet.places, loaded, &mut pairs))
            };
            let mut parts = Part::apart(packets.iter().map(part), self.block.numbers);
            for line in pairs.lines {
                self.line(line);
            }
            parts.sort_by_key(|part| part.elements[0].channel);
            return parts;
        }
        let mut elements = self.elements.clone();
        elements.sort_by_key(|element| element.channel);
        let at_once = Block::at_once(self.block.size(DST));
        let of_channel = elements.chunk_by(|a, b| a.channel == b.channel);
        let parts = of_channel.flat_map(|elements| elements.chunks(at_once));
        Part::apart(parts.map(|part| (part.to_vec(), self.side_by_side(part, loaded))), self.block.numbers)
    }

    /// The expression of a packet's address, in packets.
    fn at(&self, packet: &Packet) -> String {
        let Packet { row, number, .. } = *packet;
        match (self.in_rows(), row) {
            (true, 0) => format!("to_{number}"),
            (true, row) => format!("to_{number} + row_{row}"),
            (false, row) => plus(&format!("to_{row}"), number),
        }
    }

    pub(super) fn in_rows(&self) -> bool {
        self.block.shape == Shape::Rows
    }

    /// Whether dst is stored by words because src is loaded by words from the same binding.
    fn by_words(&self) -> bool {
        self.placement == Placement::OneBuffer && !self.block.by_packets()
    }

    /// What is stored, for comments.
    const fn unit(&self) -> &'static str {
        match self.block.stores {
            Stores::Packets | Stores::Exchanged => "packet(s)",
            Stores::Words => "word(s)",
        }
    }

    /// Whether blocks are of [`Shape::Runs`], whose packets join two blocks.
    pub(super) fn joins(&self) -> bool {
        matches!(self.block.shape, Shape::Runs { .. })
    }

    /// Writes the end of a block of runs beside each other, and the stores of packets that join it to the block before.
    pub(super) fn store_beside(&mut self) {
        self.indent -= 1;
        self.line("}");
        let packets = packets(self.block, &self.elements);
        let of_row = self.packets_of_row();
        for r in 0..self.block.runs() {
            self.line(format!("give(invocation, {r}u, next_{});", (r + 1) * of_row - 1));
        }
        self.line("workgroupBarrier();");
        self.within("if start.stores {", |text| {
            for (n, packet) in packets.iter().enumerate() {
                let Packet { row, number, .. } = *packet;
                let before = match number {
                    0 => format!("given(invocation, {row}u)"),
                    _ => format!("next_{}", n - 1),
                };
                text.line(format!("let before_{n} = {before};"));
                text.join(n, packet, &format!("before_{n}"), "at.x > 0u");
            }
        });
    }

    /// Writes the store of the packet that joins the end of `before` and the start of `next_n`. `follows`: whether there
    /// is a block before.
    fn join(&mut self, n: usize, packet: &Packet, before: &str, follows: &str) {
        let Packet { row, number, .. } = *packet;
        let at = self.at(packet);
        let size = self.block.size(DST);
        let joined = format!("joined(phase_{row}, {size}u, {before}, next_{n})");
        let store = |text: &mut Self| {
            text.line(format!("let joined_{n} = {joined};"));
            text.store_whole(n, &at, &format!("joined_{n}"));
        };
        if number == 0 {
            self.within(format!("if {follows} || phase_{row} == 0u {{"), store);
        } else {
            store(self);
        }
    }

    /// Writes the store of the `n`-th packet. `names` are the names of the parts; `places` says where each element is.
    fn store(&mut self, n: usize, packet: &Packet, names: &[String], places: &Places) {
        let at = &self.at(packet);
        let mut clamped = self.assembled(packet, names, places);
        if packet.keeps() {
            let mask = self.mask(&packet.places);
            clamped = format!("(old_{n} & ~{mask}) | ({clamped} & {mask})");
        }
        let Packet { row, number, .. } = *packet;
        if self.exchanges() {
            self.line(format!("packet_{number} = {clamped};"));
            return;
        }
        if !self.joins() {
            self.store_whole(n, at, &clamped);
            return;
        }
        if self.runs_beside() {
            self.line(format!("next_{n} = {clamped};"));
            return;
        }
        self.line(format!("let next_{n} = {clamped};"));
        self.within("if unit >= blocks.first {", |text| {
            text.join(n, packet, &format!("before_{row}"), "unit > 0u");
        });
        self.line(format!("before_{row} = next_{n};"));
    }

    fn store_whole(&mut self, n: usize, at: &str, packet: &str) {
        if self.block.stores == Stores::Words {
            self.line(format!("store_dst_word({at}, {packet});"));
        } else if self.by_words() {
            self.line(format!("let whole_{n} = {packet};"));
            for (word, component) in COMPONENTS.iter().enumerate() {
                self.line(format!("store_dst_word(({at}) * 4u + {word}u, whole_{n}.{component});"));
            }
        } else {
            self.line(format!("store_dst_packet({at}, {packet});"));
        }
    }

    /// The mask of the bits of a packet that belong to elements.
    fn mask(&self, places: &[Option<Element>]) -> String {
        let size = self.block.size(DST);
        let mut words = [0_u32; 4];
        for (n, _) in places.iter().enumerate().filter(|(_, place)| place.is_some()) {
            for byte in n * size..(n + 1) * size {
                words[byte / WORD] |= 0xff << (byte % WORD * 8);
            }
        }
        let words = words.map(|word| format!("{word:#010x}u"));
        format!("vec4<u32>({})", words.join(", "))
    }

    /// The word of src in which an element begins, as row and index, and the element's first bit in this word.
    fn source(&self, element: &Element) -> ((usize, usize), usize) {
        let byte = element.offsets[SRC] as usize * self.block.size(SRC);
        ((element.rows[SRC], byte / WORD), byte % WORD * 8)
    }

    /// The expression of a vector with the bits of up to four elements, or up to two 64-bit elements.
    fn side_by_side(&self, elements: &[Element], loaded: &Words) -> String {
        let bits = self.block.size(SRC) * 8;
        let sources: Vec<_> = elements.iter().map(|element| self.source(element)).collect();
        if bits == 8 && sources.len() == 4 && (0..4).all(|n| sources[n] == (sources[0].0, 8 * n)) {
            let word = &loaded[&sources[0].0];
            return format!("(vec4<u32>({word}) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu)");
        }
        let lane = |((row, word), shift): ((usize, usize), usize)| {
            let name = &loaded[&(row, word)];
            let mask = (1_u64 << bits.min(32)) - 1;
            match (bits, shift) {
                (64, _) => format!("{name}, {}", loaded[&(row, word + 1)]),
                (32, _) => name.clone(),
                (_, 0) => format!("{name} & {mask:#x}u"),
                _ if shift + bits == 32 => format!("{name} >> {shift}u"),
                _ => format!("({name} >> {shift}u) & {mask:#x}u"),
            }
        };
        let none = if bits == 64 { "0u, 0u" } else { "0u" };
        let mut lanes: Vec<_> = sources.into_iter().map(lane).collect();
        lanes.resize(Block::at_once(self.block.size(DST)), none.to_owned());
        format!("vec4<u32>({})", lanes.join(", "))
    }

    /// The expression of a packet of dst, from clamped parts.
    fn assembled(&self, packet: &Packet, names: &[String], places: &Places) -> String {
        if self.takes_packets {
            let element = packet.places.iter().flatten().next().expect("a packet has an element");
            return names[places[&(element.rows[DST], element.offsets[DST])].0].clone();
        }
        let words = self.block.size(DST).div_ceil(WORD);
        let at = |element: &Element| places[&(element.rows[DST], element.offsets[DST])];
        let lane = |element: &Option<Element>| match element.as_ref().map(at) {
            Some((part, n)) => {
                format!("{}.{}", names[part], COMPONENTS[n * words..(n + 1) * words].concat())
            }
            None => vec!["0u"; words].join(", "),
        };
        if let [word] = &packet.places[..] {
            return lane(word);
        }
        let quad = |quad: &[Option<Element>]| {
            let first = quad[0].as_ref().map(at);
            let in_order = quad
                .iter()
                .enumerate()
                .all(|(n, element)| element.as_ref().map(at) == first.map(|(part, _)| (part, n)));
            if let Some((part, _)) = first.filter(|_| in_order) {
                return names[part].clone();
            }
            let lanes: Vec<_> = quad.iter().map(lane).collect();
            format!("vec4<u32>({})", lanes.join(", "))
        };
        let quads: Vec<_> = packet.places.chunks(LANES).map(quad).collect();
        match &quads[..] {
            [quad] if self.block.stores == Stores::Words => format!("word_of_quad({quad})"),
            [quad] => quad.clone(),
            quads => format!("of_quads({})", quads.join(", ")),
        }
    }

    /// The expression of a packet of dst before clamping, from elements of the same size.
    fn arranged(&self, places: &[Option<Element>], loaded: &Words, pairs: &mut Pairs) -> String {
        let size = self.block.size(DST);
        let byte = |n: usize| {
            let element = places[n / size].as_ref()?;
            let from = element.offsets[SRC] as usize * size + n % size;
            Some(Byte { word: &loaded[&(element.rows[SRC], from / WORD)], number: from % WORD })
        };
        let mut word = |n: usize| arrange::word([0, 1, 2, 3].map(|i| byte(n * WORD + i)), pairs);
        let words: Vec<_> = (0..PACKET / WORD).map(&mut word).collect();
        format!("vec4<u32>({})", words.join(", "))
    }

    /// Writes a call of the arithmetic for each part. Stores each packet as soon as it is complete, so that few
    /// values are alive at once.
    fn clamp(&mut self, parts: &[Part], packets: &[Packet]) {
        // For 4-byte elements `elements` serves, because a packet is a vector of four elements.
        let by_packets = self.takes_packets && self.block.size(DST) < WORD || self.block.size(DST) > WORD;
        let function = if by_packets { "packet" } else { "elements" };
        let mut places = Places::new();
        for (p, part) in parts.iter().enumerate() {
            for elements in [&part.elements].into_iter().chain(&part.again) {
                let of_part = elements.iter().enumerate();
                places
                    .extend(of_part.map(|(n, element)| ((element.rows[DST], element.offsets[DST]), (p, n))));
            }
        }
        let several = self.block.numbers != Numbers::One;
        let around = self.is_around();
        let channel = |part: &Part| part.elements[0].channel;
        self.line("");
        let names: Vec<_> = (0..parts.len()).map(|n| format!("clamped_{n}")).collect();
        // Exact steps for many parts are called in a loop: compilers inline each call.
        if self.arithmetic.step == AffineStep::Exact && parts.len() > MOST_CALLS {
            let count = parts.len();
            self.line(format!("// Clamp {count} vectors, the first of them in each round."));
            for (name, part) in names.iter().zip(parts) {
                self.line(format!("var {name} = {};", part.bits));
            }
            // All channels have equally many parts; channel 0 has some.
            let of_channel = parts.iter().filter(|part| channel(part) == 0).count();
            debug_assert!(
                parts.iter().enumerate().all(|(p, part)| p / of_channel == usize::from(channel(part)))
            );
            if around {
                self.line("var channel = channel_0;");
            }
            self.within(format!("for (var i = 0u; i < {count}u; i++) {{"), |text| {
                if around {
                    text.line("set_channel(channel);");
                    text.line(format!(
                        "channel = select(channel, next_channel(channel), i % {of_channel}u == {}u);",
                        of_channel - 1
                    ));
                } else if several {
                    text.line(format!("set_channel(channel_0 + i / {of_channel}u);"));
                }
                text.line(format!("let last = {function}({});", names[0]));
                for pair in names.windows(2) {
                    text.line(format!("{} = {};", pair[0], pair[1]));
                }
                text.line(format!("{} = last;", names[count - 1]));
            });
            self.line("");
            self.line(format!("// Store {} {} of dst.", packets.len(), self.unit()));
            for (n, packet) in packets.iter().enumerate() {
                self.store(n, packet, &names, &places);
            }
            return;
        }
        self.line(format!(
            "// Clamp {} vector(s), and store {} {} of dst.",
            parts.len(),
            packets.len(),
            self.unit()
        ));
        // The last part that each packet needs.
        let part_of = |element: &Element| places[&(element.rows[DST], element.offsets[DST])].0;
        let last = |packet: &Packet| packet.places.iter().flatten().map(part_of).max();
        let (mut current, mut stored) = (None, 0);
        for (p, part) in parts.iter().enumerate() {
            if several && current != Some(channel(part)) {
                current = Some(channel(part));
                let n = channel(part);
                if around && n > 0 {
                    self.line(format!("let channel_{n} = next_channel(channel_{});", n - 1));
                }
                let name = if around { format!("channel_{n}") } else { plus("channel_0", n.into()) };
                self.line(format!("set_channel({name});"));
            }
            self.line(format!("let {} = {function}({});", names[p], part.bits));
            // Stores packets in order, because a packet may be joined to the preceding packet.
            while stored < packets.len() && last(&packets[stored]) <= Some(p) {
                self.store(stored, &packets[stored], &names, &places);
                stored += 1;
            }
        }
    }
}
