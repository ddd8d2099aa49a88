//! A block as WGSL: loads, clamps and stores, one line each, with the place of each element as a constant.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::arrange::{self, Byte, Pairs};
use super::{Block, Element, Numbers, Order, Reads, Row, UNITS, Writes};
use crate::arithmetic::{AffineStep, Arithmetic, LANES};
use crate::kernel::region::{DST, SRC};
use crate::kernel::{PACKET, Placement, WORD};

/// The components of a vector.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// What other fragments may provide to the text of a block, for its head.
const PROVIDED: [&str; 24] = [
    "params",
    "WORKGROUP_SIZE",
    "workgroup_index",
    "Walk",
    "walk",
    "start",
    "first_dimension",
    "second_dimension",
    "other_dimensions",
    "set_channel",
    "load_src_packet",
    "load_src_word",
    "load_dst_packet",
    "store_dst_packet",
    "store_dst_word",
    "straddling",
    "joined",
    "divide",
    "load_src",
    "store_dst",
    "element",
    "elements",
    "packet",
    "of_quads",
];

impl Block {
    /// Whether clamps take whole packets of dst, after its elements were put in their places, and not elements side by
    /// side: where all of a packet has one clamp, and elements are words or larger, or have packed arithmetic.
    pub(super) fn takes_packets(&self, arithmetic: Arithmetic) -> bool {
        let packed = self.size(DST) >= WORD || arithmetic.has_packed_form();
        arithmetic.one_size().is_some()
            && packed
            && packets(self, &self.elements()).iter().all(Packet::has_one_clamp)
    }

    /// The text of its module beside the fragments.
    pub(super) fn wgsl(&self, arithmetic: Arithmetic, placement: Placement) -> String {
        let mut text =
            Text { block: self, elements: self.elements(), arithmetic, placement, lines: Vec::new() };
        text.place();
        let loaded = text.load();
        text.clamp_and_store(&loaded);
        text.finish()
    }
}

/// A text in the making.
struct Text<'a> {
    block: &'a Block,
    /// In the order of dst.
    elements: Vec<Element>,
    arithmetic: Arithmetic,
    placement: Placement,
    lines: Vec<String>,
}

/// What the words of src are called, by row and number in the row.
type Words = HashMap<(usize, usize), String>;

/// Of each element, by its row and offset in dst: its part, and its place there.
type Places = HashMap<(usize, i32), (usize, usize)>;

/// What goes through the arithmetic at once: elements of one channel.
struct Part {
    elements: Vec<Element>,
    /// Their bits.
    bits: String,
}

/// A packet of dst.
struct Packet {
    row: usize,
    /// From the start of the row, in packets.
    number: usize,
    /// The elements that go there, place by place.
    places: Vec<Option<Element>>,
}

impl Packet {
    fn has_one_clamp(&self) -> bool {
        let mut channels = self.places.iter().flatten().map(|element| element.channel);
        let first = channels.next();
        channels.all(|channel| Some(channel) == first)
    }

    /// Whether some of it stays as it is.
    fn keeps(&self) -> bool {
        self.places.iter().any(Option::is_none)
    }

    /// Where it lies.
    fn at(&self) -> String {
        format!("to_{} + {}u", self.row, self.number)
    }
}

/// The packets of dst in which elements are.
fn packets(block: &Block, elements: &[Element]) -> Vec<Packet> {
    let per_packet = block.per_packet();
    let mut packets: Vec<Packet> = Vec::new();
    for element in elements {
        let (row, place) = (element.rows[DST], element.offsets[DST] as usize);
        let number = place / per_packet;
        if packets.last().is_none_or(|last| (last.row, last.number) != (row, number)) {
            packets.push(Packet { row, number, places: vec![None; per_packet] });
        }
        let packet = packets.last_mut().expect("one was added");
        packet.places[place % per_packet] = Some(*element);
    }
    packets
}

impl Text<'_> {
    fn line(&mut self, line: impl Into<String>) {
        self.lines.push(format!("    {}", line.into()));
    }

    /// The place of the invocation's block: `src`, `dst`, and `channel` if there are several.
    fn place(&mut self) {
        let block = self.block;
        let several = block.numbers != Numbers::One;
        let extent_of_channels = |d: usize| match block.numbers {
            Numbers::Each => block.dims[d].extent,
            Numbers::One | Numbers::Block => 1,
        };
        match (block.writes, block.order) {
            (Writes::Joined { along }, _) => self.place_joined(along.into(), several),
            (_, Order::Line) => {
                self.index();
                self.line("let at = walk(index);");
                self.line("let src = at.src;");
                self.line("let dst = at.dst;");
                if several {
                    self.line("let index_of_channels = at.channel - params.geometry.walk.first_channel;");
                }
            }
            (_, Order::Squares { along_src }) => self.place_in_square(along_src.into(), several),
        }
        if several {
            let of_block = block.channel_dim().map_or(1, extent_of_channels);
            let times = if of_block == 1 { String::new() } else { format!(" * {of_block}u") };
            self.line(format!(
                "let channel_0 = params.geometry.walk.first_channel + index_of_channels{times};"
            ));
        }
    }

    /// The invocation's linear index.
    fn index(&mut self) {
        self.line(
            "let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;",
        );
        self.line("if index >= params.geometry.walk.count {");
        self.line("    return;");
        self.line("}");
    }

    /// The place of a block in a square of them.
    fn place_in_square(&mut self, along_src: usize, several: bool) {
        self.line("let index = workgroup_index(workgroup, params.geometry.walk.grid_width);");
        self.line("if index >= params.geometry.walk.count {");
        self.line("    return;");
        self.line("}");
        self.line("let along_src = first_dimension(start(index));");
        self.line("let along_dst = second_dimension(along_src);");
        self.line("let x = invocation % SQUARES;");
        self.line("let y = invocation / SQUARES;");
        self.line("let block_x = along_src.index * SQUARES + x;");
        self.line("let block_y = along_dst.index * (WORKGROUP_SIZE / SQUARES) + y;");
        self.line("if block_x >= params.geometry.blocks.x || block_y >= params.geometry.blocks.y {");
        self.line("    return;");
        self.line("}");
        self.line("let at = other_dimensions(along_dst);");
        self.line("let src = at.src + x * params.geometry.steps.x + y * params.geometry.steps.z;");
        self.line("let dst = at.dst + x * params.geometry.steps.y + y * params.geometry.steps.w;");
        if several {
            let index = match self.block.channel_dim() {
                Some(d) if d == along_src => "block_x",
                Some(d) if d == self.block.dims().len() - 1 => "block_y",
                _ => "at.channel - params.geometry.walk.first_channel",
            };
            self.line(format!("let index_of_channels = {index};"));
        }
    }

    /// The place of a block of a run, of which an invocation takes some: the start of a loop over them.
    fn place_joined(&mut self, along: usize, several: bool) {
        self.index();
        self.line("let at = walk(index);");
        self.line("let runs = params.geometry.blocks;");
        self.line(format!("let first = divide(index, runs.y, runs.z) * {UNITS}u;"));
        self.line(format!("let end = min(first + {UNITS}u, runs.x);"));
        for r in 0..self.block.rows(DST).len() {
            self.line(format!("var before_{r} = vec4<u32>();"));
        }
        self.line("// The block before the first one is computed for what it leaves to that.");
        self.line("for (var unit = max(first, 1u) - 1u; unit < end; unit++) {");
        self.line("let src = at.src + (unit - first) * params.geometry.steps.x;");
        self.line("let dst = at.dst + (unit - first) * params.geometry.steps.y;");
        if several {
            let index = match self.block.channel_dim() {
                Some(d) if d == along => "unit",
                _ => "at.channel - params.geometry.walk.first_channel",
            };
            self.line(format!("let index_of_channels = {index};"));
        }
    }

    /// An expression: from the start of a block on one side to a row, plus `offset` elements.
    fn row(side: usize, row: &Row, offset: i32) -> String {
        let (start, pitch) = [("src", "src_pitch"), ("dst", "dst_pitch")][side];
        let mut text = start.to_owned();
        for (n, component) in row.iter().zip(COMPONENTS) {
            match n {
                0 => {}
                1 => _ = write!(text, " + params.geometry.{pitch}.{component}"),
                n => _ = write!(text, " + {n}u * params.geometry.{pitch}.{component}"),
            }
        }
        match offset {
            0 => {}
            1.. => _ = write!(text, " + {offset}u"),
            _ => _ = write!(text, " - {}u", -offset),
        }
        text
    }

    /// Loads the words that hold elements, and tells their names.
    fn load(&mut self) -> Words {
        let block = self.block;
        let size = block.size(SRC);
        let lowest = self.elements.iter().map(|element| element.offsets[SRC]).min().unwrap_or(0);
        for element in &mut self.elements {
            element.offsets[SRC] -= lowest;
        }
        let rows = block.rows(SRC);
        self.line("");
        self.line(format!("// Load {} elements of src, in {} run(s).", self.elements.len(), rows.len()));
        let mut names = Words::new();
        for (r, row) in rows.iter().enumerate() {
            let start = Self::row(SRC, row, lowest);
            // Bytes of the row that are elements.
            let bytes: BTreeSet<usize> = self
                .elements
                .iter()
                .filter(|element| element.rows[SRC] == r)
                .flat_map(|element| (0..size).map(|byte| element.offsets[SRC] as usize * size + byte))
                .collect();
            let words: BTreeSet<usize> = bytes.iter().map(|byte| byte / WORD).collect();
            match block.reads {
                Reads::Packets => {
                    self.line(format!("let from_{r} = ({start}) / {}u;", PACKET / size));
                    let packets: BTreeSet<usize> = words.iter().map(|word| word / 4).collect();
                    for packet in packets {
                        self.line(format!("let src_{r}_{packet} = load_src_packet(from_{r} + {packet}u);"));
                    }
                    let name = |word: usize| format!("src_{r}_{}.{}", word / 4, COMPONENTS[word % 4]);
                    names.extend(words.into_iter().map(|word| ((r, word), name(word))));
                }
                Reads::Words => {
                    let times = if size > WORD { format!(" * {}u", size / WORD) } else { String::new() };
                    self.line(format!("let from_{r} = ({start}){times};"));
                    for word in words {
                        let name = format!("src_{r}_{word}");
                        self.line(format!("let {name} = load_src_word(from_{r} + {word}u);"));
                        names.insert((r, word), name);
                    }
                }
                Reads::Straddling => self.load_straddling(r, &start, &bytes, &mut names),
            }
        }
        names
    }

    /// The words of a row that may begin within one. None is loaded that has no byte of an element.
    fn load_straddling(&mut self, r: usize, start: &str, bytes: &BTreeSet<usize>, names: &mut Words) {
        let size = self.block.size(SRC);
        let times = if size > 1 { format!(" * {size}u") } else { String::new() };
        self.line(format!("let byte_{r} = ({start}){times};"));
        self.line(format!("let from_{r} = byte_{r} / 4u;"));
        self.line(format!("let shift_{r} = (byte_{r} & 3u) * 8u;"));
        let words: BTreeSet<usize> = bytes.iter().map(|byte| byte / WORD).collect();
        let mut loaded: BTreeMap<String, String> = BTreeMap::new();
        for &word in &words {
            let first = bytes.range(word * WORD..).next().expect("the word has a byte");
            let last = bytes.range(..(word + 1) * WORD).next_back().expect("the word has a byte");
            // Where the next word begins with an element too, one load serves both.
            let shared = last % WORD == 3 && bytes.contains(&(last + 1));
            let low = if first % WORD == 0 {
                format!("from_{r} + {word}u")
            } else {
                format!("(byte_{r} + {first}u) / 4u")
            };
            let high = if shared {
                format!("from_{r} + {}u", word + 1)
            } else {
                format!("(byte_{r} + {last}u) / 4u")
            };
            let [low, high] = [low, high].map(|at| {
                if let Some(name) = loaded.get(&at) {
                    return name.clone();
                }
                let name = format!("word_{r}_{}", loaded.len());
                self.line(format!("let {name} = load_src_word({at});"));
                loaded.insert(at, name.clone());
                name
            });
            let name = format!("src_{r}_{word}");
            self.line(format!("let {name} = straddling({low}, {high}, shift_{r});"));
            names.insert((r, word), name);
        }
    }

    /// From loaded words to stored packets.
    fn clamp_and_store(&mut self, loaded: &Words) {
        let packets = packets(self.block, &self.elements);
        for (r, row) in self.block.rows(DST).iter().enumerate() {
            let start = Self::row(DST, row, -i32::from(self.block.lead));
            let per_packet = self.block.per_packet();
            if self.joins() {
                self.line(format!("let from_dst_{r} = {start};"));
                self.line(format!("let to_{r} = from_dst_{r} / {per_packet}u;"));
                self.line(format!(
                    "let phase_{r} = (from_dst_{r} % {per_packet}u) * {}u;",
                    self.block.size(DST)
                ));
            } else {
                self.line(format!("let to_{r} = ({start}) / {per_packet}u;"));
            }
        }
        for (n, packet) in packets.iter().enumerate().filter(|(_, packet)| packet.keeps()) {
            let at = packet.at();
            let words = [0, 1, 2, 3].map(|word| format!("load_src_word(({at}) * 4u + {word}u)"));
            // In place src and dst are one binding.
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

    /// What goes through the arithmetic at once, channel by channel.
    fn parts(&mut self, packets: &[Packet], loaded: &Words) -> Vec<Part> {
        if self.block.takes_packets(self.arithmetic) {
            let mut pairs = Pairs::default();
            let part = |packet: &Packet| Part {
                elements: packet.places.iter().flatten().copied().collect(),
                bits: self.arranged(&packet.places, loaded, &mut pairs),
            };
            let mut parts: Vec<_> = packets.iter().map(part).collect();
            for line in pairs.lines {
                self.line(line);
            }
            parts.sort_by_key(|part| part.elements[0].channel);
            return parts;
        }
        let mut elements = self.elements.clone();
        elements.sort_by_key(|element| element.channel);
        let at_once = LANES.min(PACKET / self.block.size(DST));
        let of_channel = elements.chunk_by(|a, b| a.channel == b.channel);
        let parts = of_channel.flat_map(|elements| elements.chunks(at_once));
        parts.map(|part| Part { elements: part.to_vec(), bits: self.side_by_side(part, loaded) }).collect()
    }

    /// Whether dst is stored by words, as src is loaded from the same binding.
    fn by_words(&self) -> bool {
        self.placement == Placement::OneBuffer && self.block.reads != Reads::Packets
    }

    /// Whether rows of dst begin anywhere.
    fn joins(&self) -> bool {
        matches!(self.block.writes, Writes::Joined { .. })
    }

    /// Stores the `n`-th packet: by words where src is loaded by words from the same binding. `names` are those of the
    /// parts, `places` tells of each element in which it is, and where.
    fn store(&mut self, n: usize, packet: &Packet, names: &[String], places: &Places) {
        let at = &packet.at();
        let mut clamped = self.assembled(packet, names, places);
        if packet.keeps() {
            let mask = self.mask(&packet.places);
            clamped = format!("(old_{n} & ~{mask}) | ({clamped} & {mask})");
        }
        let mut indent = "";
        if self.joins() {
            let Packet { row, number, .. } = *packet;
            let size = self.block.size(DST);
            self.line(format!("let next_{n} = {clamped};"));
            let within =
                if number == 0 { format!(" && (unit > 0u || phase_{row} == 0u)") } else { String::new() };
            self.line(format!("if unit >= first{within} {{"));
            self.line(format!("    let joined_{n} = joined(phase_{row}, {size}u, before_{row}, next_{n});"));
            (clamped, indent) = (format!("joined_{n}"), "    ");
        }
        if self.by_words() {
            self.line(format!("{indent}let whole_{n} = {clamped};"));
            for (word, component) in COMPONENTS.iter().enumerate() {
                self.line(format!("{indent}store_dst_word(({at}) * 4u + {word}u, whole_{n}.{component});"));
            }
        } else {
            self.line(format!("{indent}store_dst_packet({at}, {clamped});"));
        }
        if self.joins() {
            self.line("}");
            self.line(format!("before_{} = next_{n};", packet.row));
        }
    }

    /// The bits of a packet that are elements.
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

    /// The words of src where an element begins, and the bit in the first one.
    fn source(&self, element: &Element) -> ((usize, usize), usize) {
        let byte = element.offsets[SRC] as usize * self.block.size(SRC);
        ((element.rows[SRC], byte / WORD), byte % WORD * 8)
    }

    /// A vector of the bits of up to four elements, or of two that have two words each.
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
        lanes.resize(LANES.min(PACKET / self.block.size(DST)), none.to_owned());
        format!("vec4<u32>({})", lanes.join(", "))
    }

    /// A packet of dst, of clamped parts.
    fn assembled(&self, packet: &Packet, names: &[String], places: &Places) -> String {
        if self.block.takes_packets(self.arithmetic) {
            let element = packet.places.iter().flatten().next().expect("a packet has an element");
            return names[places[&(element.rows[DST], element.offsets[DST])].0].clone();
        }
        let words = self.block.size(DST).div_ceil(WORD);
        let quad = |quad: &[Option<Element>]| {
            let at = |element: &Element| places[&(element.rows[DST], element.offsets[DST])];
            let first = quad[0].as_ref().map(at);
            let in_order = quad
                .iter()
                .enumerate()
                .all(|(n, element)| element.as_ref().map(at) == first.map(|(part, _)| (part, n)));
            if let Some((part, _)) = first.filter(|_| in_order) {
                return names[part].clone();
            }
            let lane = |element: &Option<Element>| match element.as_ref().map(at) {
                Some((part, n)) => {
                    format!("{}.{}", names[part], COMPONENTS[n * words..(n + 1) * words].concat())
                }
                None => vec!["0u"; words].join(", "),
            };
            let lanes: Vec<_> = quad.iter().map(lane).collect();
            format!("vec4<u32>({})", lanes.join(", "))
        };
        let quads: Vec<_> = packet.places.chunks(LANES).map(quad).collect();
        match &quads[..] {
            [quad] => quad.clone(),
            quads => format!("of_quads({})", quads.join(", ")),
        }
    }

    /// A packet of dst, of elements of the same size, by words.
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

    /// Calls the arithmetic for each part, and stores each packet as soon as all of it is there, so that few values are
    /// alive at once.
    fn clamp(&mut self, parts: &[Part], packets: &[Packet]) {
        let by_packets = self.block.takes_packets(self.arithmetic) || self.block.size(DST) > WORD;
        let function = if by_packets { "packet" } else { "elements" };
        let mut places = Places::new();
        for (p, part) in parts.iter().enumerate() {
            let of_part = part.elements.iter().enumerate();
            places.extend(of_part.map(|(n, element)| ((element.rows[DST], element.offsets[DST]), (p, n))));
        }
        let several = self.block.numbers != Numbers::One;
        let channel = |part: &Part| part.elements[0].channel;
        self.line("");
        let names: Vec<_> = (0..parts.len()).map(|n| format!("clamped_{n}")).collect();
        // Long arithmetic in a loop: compilers would inline it for each part.
        if self.arithmetic.step == AffineStep::Exact && parts.len() > 1 {
            let count = parts.len();
            self.line(format!("// Clamp {count} vectors, the first of them in each round."));
            for (name, part) in names.iter().zip(parts) {
                self.line(format!("var {name} = {};", part.bits));
            }
            self.line(format!("for (var i = 0u; i < {count}u; i++) {{"));
            if several {
                // All channels have as many parts.
                let of_channel = parts.iter().filter(|part| channel(part) == 0).count();
                self.line(format!("    set_channel(channel_0 + i / {of_channel}u);"));
            }
            self.line(format!("    let last = {function}({});", names[0]));
            for pair in names.windows(2) {
                self.line(format!("    {} = {};", pair[0], pair[1]));
            }
            self.line(format!("    {} = last;", names[count - 1]));
            self.line("}");
            self.line("");
            self.line(format!("// Store {} packet(s) of dst.", packets.len()));
            for (n, packet) in packets.iter().enumerate() {
                self.store(n, packet, &names, &places);
            }
            return;
        }
        self.line(format!(
            "// Clamp {} vector(s), and store {} packet(s) of dst.",
            parts.len(),
            packets.len()
        ));
        // The last part of each packet.
        let part_of = |element: &Element| places[&(element.rows[DST], element.offsets[DST])].0;
        let last = |packet: &Packet| packet.places.iter().flatten().map(part_of).max();
        let (mut current, mut stored) = (None, 0);
        for (p, part) in parts.iter().enumerate() {
            if several && current != Some(channel(part)) {
                current = Some(channel(part));
                self.line(format!("set_channel(channel_0 + {}u);", channel(part)));
            }
            self.line(format!("let {} = {function}({});", names[p], part.bits));
            // In order: a packet may be joined to the one before it.
            while stored < packets.len() && last(&packets[stored]) <= Some(p) {
                self.store(stored, &packets[stored], &names, &places);
                stored += 1;
            }
        }
    }

    /// The entry point for what lies before and behind the whole packets of runs: an invocation for each element.
    fn edges(&self, along: usize) -> String {
        let block = self.block;
        let per_packet = block.per_packet();
        let rows: Vec<_> = block.dims().iter().take(along).map(|dim| dim.extent).collect();
        let run = &block.dims()[along..];
        let mut lines = vec![
            "let index = workgroup_index(workgroup, params.geometry.steps.z) * WORKGROUP_SIZE + invocation;"
                .to_owned(),
            format!("let block = index / {}u;", block.edge_elements()),
            "if block >= params.geometry.blocks.w {".to_owned(),
            "    return;".to_owned(),
            "}".to_owned(),
            "let at = walk(block);".to_owned(),
            format!("let row_0 = index / {per_packet}u % {}u;", block.rows(DST).len()),
        ];
        // The run of the block, dimension by dimension.
        let (mut src, mut dst) = ("at.src".to_owned(), "at.dst".to_owned());
        let mut channel = None;
        for (d, extent) in rows.iter().enumerate().rev() {
            let after = rows.len() - d;
            lines.push(format!("let along_{d} = row_{} % {extent}u;", after - 1));
            lines.push(format!("let row_{after} = row_{} / {extent}u;", after - 1));
            let pitch = COMPONENTS[d];
            _ = write!(src, " + along_{d} * params.geometry.src_pitch.{pitch}");
            _ = write!(dst, " + along_{d} * params.geometry.dst_pitch.{pitch}");
            if block.dims[d].channels {
                channel = Some(format!("along_{d}"));
            }
        }
        lines.push(format!("let run_dst = {dst};"));
        lines.push(format!("let ahead = ({per_packet}u - run_dst % {per_packet}u) % {per_packet}u;"));
        lines.push("if ahead == 0u {".to_owned());
        lines.push("    return;".to_owned());
        lines.push("}".to_owned());
        // The element of the run, and its pixel.
        let of_block: usize = run.iter().map(|dim| usize::from(dim.extent)).product();
        lines.push(format!("let i = index % {per_packet}u;"));
        lines.push(format!("let length = params.geometry.blocks.x * {of_block}u;"));
        lines.push(format!("let element_0 = select(length - {per_packet}u + i, i, i < ahead);"));
        let mut rest = "element_0".to_owned();
        for (n, dim) in run.iter().enumerate().rev() {
            let d = along + n;
            let index = if n == 0 {
                rest.clone()
            } else {
                let index = format!("{rest} % {}u", dim.extent);
                lines.push(format!("let pixel_{n} = {rest} / {}u;", dim.extent));
                rest = format!("pixel_{n}");
                index
            };
            lines.push(format!("let place_{d} = {index};"));
            _ = write!(src, " + place_{d} * params.geometry.src_pitch.{}", COMPONENTS[d]);
            if dim.channels {
                channel = Some(format!("place_{d}"));
            }
        }
        lines.push(format!("let run_src = {src};"));
        let of_block = block.channel_dim().map_or(1, |d| block.dims[d].extent);
        if block.numbers != Numbers::One {
            let first = "params.geometry.walk.first_channel";
            // Along a run it is counted from the run's start.
            let from_block = format!("{first} + (at.channel - {first}) * {of_block}u");
            lines.push(format!(
                "set_channel({from_block}{});",
                channel.map(|channel| format!(" + {channel}")).unwrap_or_default()
            ));
        }
        lines.push("store_dst(run_dst + element_0, element(load_src(run_src)));".to_owned());
        let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
        format!(
            "\n// What lies before and behind the whole packets of runs, a packet of each in all.\n\
             @compute @workgroup_size(WORKGROUP_SIZE)\n\
             fn block_edges(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {{\n\
             {body}}}\n"
        )
    }

    /// The whole text, with its head.
    fn finish(mut self) -> String {
        let (edges, provides) = match self.block.writes {
            Writes::Packets => (String::new(), "block"),
            Writes::Joined { along } => (self.edges(along.into()), "block, block_edges"),
        };
        if let Writes::Joined { .. } = self.block.writes {
            self.line("}");
        }
        let squares = match self.block.order {
            Order::Line => "",
            Order::Squares { .. } => {
                "// Blocks along src's fastest dimension in a workgroup, a power of two; along dst's what is left of 256.\n\
                 override SQUARES: u32 = 16u;\n\n"
            }
        };
        let body: String = self
            .lines
            .iter()
            .map(|line| line.trim_end())
            .fold(String::new(), |text, line| text + line + "\n");
        let code = format!(
            "struct Geometry {{\n    \
                 walk: Walk,\n    \
                 src_pitch: vec4<u32>, // long strides along the dimensions of a block, in elements\n    \
                 dst_pitch: vec4<u32>,\n    \
                 steps: vec4<u32>,     // of squares: from a block to the next along src's fastest dimension, in src and dst; along dst's\n    \
                 blocks: vec4<u32>,    // along these two; of runs: in one, what divides by the number of runs, that number\n\
             }}\n\n\
             {squares}\
             @compute @workgroup_size(WORKGROUP_SIZE)\n\
             fn block(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {{\n\
             {body}}}\n{edges}"
        );
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let words: BTreeSet<&str> = code
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .flat_map(|line| line.split(|c| !is_name(c)))
            .collect();
        let needs: Vec<_> = PROVIDED.into_iter().filter(|name| words.contains(name)).collect();
        let needs: Vec<_> =
            needs.into_iter().filter(|name| *name != "walk" || code.contains("walk(")).collect();
        format!(
            "// A block of {}.\n//\n// Provides: Geometry, {provides}\n// Needs: {}\n{code}",
            self.block,
            needs.join(", ")
        )
    }
}
