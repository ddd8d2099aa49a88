//! Writes the lines that arrange loaded elements, clamp them and store packets.

use std::collections::HashMap;

use super::arrange::{self, Byte};
use super::{COMPONENTS, Element, Expr, Text, Words};
use crate::arithmetic::{AffineStep, Arithmetic, Class};
use crate::fragment::{Fragment, fragment};
use crate::kernel::piece::{Channels, LANES, Order, Piece, Stores};
use crate::kernel::region::{DST, SRC};
use crate::kernel::{PACKET, Placement, WORD};

/// The most calls of an exact step outside a loop.
pub(in crate::kernel) const MOST_CALLS: usize = 4;

impl Piece {
    /// Whether the text first arranges elements into packets of dst and then clamps whole packets. Otherwise it clamps
    /// first. Whole packets need one element size on both sides, one clamp per packet, and either packed arithmetic or
    /// elements that are words or larger.
    pub(in crate::kernel) fn takes_packets(&self, arithmetic: Arithmetic) -> bool {
        let packed = self.size(DST) >= WORD || has_packed_form(arithmetic);
        if arithmetic.one_size().is_none()
            || !packed
            || self.stores == Stores::Words
            || self.channels == Channels::Stepped
        {
            return false;
        }
        let packets = packets(self, &self.elements());
        let of = |channel| packets.iter().filter(|packet| packet.channel() == Some(channel)).count();
        let one_clamp = packets.iter().all(|packet| packet.channel().is_some());
        // The loop over an exact step needs equally many vectors of each channel.
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

/// Maps the row and the offset in dst of each element to the indices of its vector and of the element in that vector.
type Places = HashMap<(usize, i32), (usize, usize)>;

/// Elements of one channel that are clamped at once, and others with the same sources.
struct Vector {
    /// At least one.
    elements: Vec<Element>,
    /// Other elements of dst with the same sources; each list is as long as `elements`.
    again: Vec<Vec<Element>>,
    /// Their bits.
    bits: Expr,
}

impl Vector {
    /// Counted from the piece's first channel.
    fn channel(&self) -> usize {
        self.elements[0].channel.into()
    }

    /// Merges vectors with equal bits if the piece has one clamp. With several channels it merges none, so that each
    /// channel keeps equally many vectors.
    fn apart(vectors: impl Iterator<Item = (Vec<Element>, Expr)>, channels: Channels) -> Vec<Self> {
        let mut apart: Vec<Self> = Vec::new();
        for (elements, bits) in vectors {
            let equal = apart.iter_mut().find(|vector| !channels.differ() && vector.bits == bits);
            match equal {
                Some(vector) => vector.again.push(elements),
                None => apart.push(Self { elements, again: Vec::new(), bits }),
            }
        }
        apart
    }
}

/// A packet of dst, or a word where a piece [stores words](Stores::Words).
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
fn packets(piece: &Piece, elements: &[Element]) -> Vec<Packet> {
    let per_store = piece.per_store();
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
        let packets = packets(self.piece, &self.elements);
        for (r, row) in self.piece.rows(DST).iter().enumerate() {
            let start = self.row(DST, *row, -i32::from(self.piece.kept_before));
            self.line(format!("let to_{r} = {};", start.divided(self.piece.per_store())));
        }
        for (n, packet) in packets.iter().enumerate().filter(|(_, packet)| packet.keeps()) {
            let at = Self::at(packet);
            // If one binding holds src and dst, and the text loads src by words, it loads dst by words too.
            let loaded = if self.by_words() {
                let load = |word| Expr::Call("load_src_word", vec![at.clone().times(4).plus(word)]);
                Expr::vector((0..4).map(load).collect())
            } else {
                Expr::Call("load_dst_packet", vec![at])
            };
            self.line(format!("let old_{n} = {loaded};"));
        }
        let vectors = self.vectors(&packets, loaded);
        self.clamp(&vectors, &packets);
    }

    /// The vectors, channel by channel.
    fn vectors(&self, packets: &[Packet], loaded: &Words) -> Vec<Vector> {
        if self.takes_packets {
            let vector = |packet: &Packet| {
                let elements = packet.places.iter().flatten().copied().collect();
                (elements, self.arranged(&packet.places, loaded))
            };
            let mut vectors = Vector::apart(packets.iter().map(vector), self.piece.channels);
            vectors.sort_by_key(Vector::channel);
            return vectors;
        }
        let mut elements = self.elements.clone();
        if self.steps_channels() {
            // Each element has a channel of its own, in the order of dst.
            for (n, element) in elements.iter_mut().enumerate() {
                element.channel = n as u8;
            }
        }
        elements.sort_by_key(|element| element.channel);
        let at_once = Piece::at_once(self.piece.size(DST));
        let of_channel = elements.chunk_by(|a, b| a.channel == b.channel);
        let vectors = of_channel.flat_map(|elements| elements.chunks(at_once));
        Vector::apart(
            vectors.map(|vector| (vector.to_vec(), self.side_by_side(vector, loaded))),
            self.piece.channels,
        )
    }

    /// A packet's address, in packets.
    fn at(packet: &Packet) -> Expr {
        Expr::name(format!("to_{}", packet.row)).plus(packet.number)
    }

    fn steps_channels(&self) -> bool {
        self.piece.channels == Channels::Stepped
    }

    /// Whether dst is stored by words because src is loaded by words from the same binding.
    fn by_words(&self) -> bool {
        self.placement == Placement::OneBuffer && !self.piece.by_packets()
    }

    /// What is stored, for comments.
    const fn unit(&self) -> &'static str {
        match self.piece.stores {
            Stores::Packets | Stores::Exchanged => "packet(s)",
            Stores::Words => "word(s)",
        }
    }

    /// Writes the store of the `n`-th packet. `names` are the names of the vectors; `places` says where each element is.
    fn store(&mut self, n: usize, packet: &Packet, names: &[String], places: &Places) {
        let at = &Self::at(packet);
        let mut clamped = self.assembled(packet, names, places);
        if packet.keeps() {
            let mask = self.mask(&packet.places);
            let of_words = |words: [u32; 4]| Expr::vector(words.map(Expr::Mask).into());
            let old = Expr::name(format!("old_{n}")).binary("&", of_words(mask.map(|word| !word)));
            clamped = Expr::or([old, clamped.binary("&", of_words(mask))]);
        }
        if self.exchanges() {
            self.line(format!("packet_{} = {clamped};", packet.number));
        } else {
            self.store_whole(n, at, &clamped);
        }
    }

    fn store_whole(&mut self, n: usize, at: &Expr, packet: &Expr) {
        if self.piece.stores == Stores::Words {
            self.line(format!("store_dst_word({at}, {packet});"));
        } else if self.by_words() {
            self.line(format!("let whole_{n} = {packet};"));
            for (word, component) in COMPONENTS.iter().enumerate() {
                let at = at.clone().times(4).plus(word);
                self.line(format!("store_dst_word({at}, whole_{n}.{component});"));
            }
        } else {
            self.line(format!("store_dst_packet({at}, {packet});"));
        }
    }

    /// The bits of a packet's words that belong to elements.
    fn mask(&self, places: &[Option<Element>]) -> [u32; 4] {
        let size = self.piece.size(DST);
        let mut words = [0_u32; 4];
        for (n, _) in places.iter().enumerate().filter(|(_, place)| place.is_some()) {
            for byte in n * size..(n + 1) * size {
                words[byte / WORD] |= 0xff << (byte % WORD * 8);
            }
        }
        words
    }

    /// The word of src in which an element begins, as row and index, and the element's first bit in this word.
    fn source(&self, element: &Element) -> ((usize, usize), usize) {
        let byte = element.offsets[SRC] as usize * self.piece.size(SRC);
        ((element.rows[SRC], byte / WORD), byte % WORD * 8)
    }

    /// A vector with the bits of up to four elements, or up to two 64-bit elements.
    fn side_by_side(&self, elements: &[Element], loaded: &Words) -> Expr {
        let bits = self.piece.size(SRC) * 8;
        let sources: Vec<_> = elements.iter().map(|element| self.source(element)).collect();
        if bits == 8 && sources.len() == 4 && (0..4).all(|n| sources[n] == (sources[0].0, 8 * n)) {
            let word = Expr::vector(vec![loaded[&sources[0].0].clone()]);
            let shifted = word.binary(">>", Expr::vector([0, 8, 16, 24].map(Expr::Number).into()));
            return shifted.binary("&", Expr::vector(vec![Expr::Mask(0xff)]));
        }
        let words = bits.div_ceil(32);
        let mask = u32::MAX >> (32 - bits.min(32));
        let lane = |((row, word), shift): ((usize, usize), usize)| {
            (word..word + words)
                .map(move |word| loaded[&(row, word)].clone().shifted(-(shift as i32)).masked(mask))
        };
        let mut lanes: Vec<_> = sources.into_iter().flat_map(lane).collect();
        if self.steps_channels() {
            return if lanes.len() == 1 { lanes.remove(0) } else { Expr::Call("vec2<u32>", lanes) };
        }
        lanes.resize(words * Piece::at_once(self.piece.size(DST)), Expr::Number(0));
        Expr::vector(lanes)
    }

    /// A packet of dst, from clamped vectors.
    fn assembled(&self, packet: &Packet, names: &[String], places: &Places) -> Expr {
        let whole = |vector: usize| Expr::name(&*names[vector]);
        if self.takes_packets {
            let element = packet.places.iter().flatten().next().expect("a packet has an element");
            return whole(places[&(element.rows[DST], element.offsets[DST])].0);
        }
        let words = self.piece.size(DST).div_ceil(WORD);
        let at = |element: &Element| places[&(element.rows[DST], element.offsets[DST])];
        let lane = |element: &Option<Element>| match element.as_ref().map(at) {
            Some((vector, _)) if self.steps_channels() => vec![whole(vector)],
            Some((vector, n)) => {
                let components = COMPONENTS[n * words..(n + 1) * words].concat();
                vec![Expr::name(format!("{}.{components}", names[vector]))]
            }
            None => vec![Expr::Number(0); words],
        };
        if let [word] = &packet.places[..] {
            return lane(word).remove(0);
        }
        let quad = |quad: &[Option<Element>]| {
            let first = quad[0].as_ref().map(at);
            let in_order = quad
                .iter()
                .enumerate()
                .all(|(n, element)| element.as_ref().map(at) == first.map(|(vector, _)| (vector, n)));
            if let Some((vector, _)) = first.filter(|_| in_order) {
                return whole(vector);
            }
            let mut lanes: Vec<_> = quad.iter().flat_map(lane).collect();
            if words == 1 {
                // A word has two elements of two bytes.
                lanes.resize(LANES, Expr::Number(0));
            }
            Expr::vector(lanes)
        };
        let mut quads: Vec<_> = packet.places.chunks(LANES).map(quad).collect();
        match quads.len() {
            1 if self.piece.stores == Stores::Words => Expr::Call("word_of_quad", quads),
            1 => quads.remove(0),
            _ => Expr::Call("of_quads", quads),
        }
    }

    /// A packet of dst before clamping, from elements of the same size.
    fn arranged(&self, places: &[Option<Element>], loaded: &Words) -> Expr {
        let size = self.piece.size(DST);
        let byte = |n: usize| {
            let element = places[n / size].as_ref()?;
            let from = element.offsets[SRC] as usize * size + n % size;
            Some(Byte { word: &loaded[&(element.rows[SRC], from / WORD)], number: from % WORD })
        };
        let word = |n: usize| arrange::word([0, 1, 2, 3].map(|i| byte(n * WORD + i)));
        Expr::vector((0..PACKET / WORD).map(word).collect())
    }

    /// Writes a call of the arithmetic for each vector, and the stores.
    fn clamp(&mut self, vectors: &[Vector], packets: &[Packet]) {
        let mut places = Places::new();
        for (v, vector) in vectors.iter().enumerate() {
            for elements in [&vector.elements].into_iter().chain(&vector.again) {
                let of_vector = elements.iter().enumerate();
                places.extend(
                    of_vector.map(|(n, element)| ((element.rows[DST], element.offsets[DST]), (v, n))),
                );
            }
        }
        let names: Vec<_> = (0..vectors.len()).map(|n| format!("clamped_{n}")).collect();
        self.line("");
        // Compilers inline each call, and exact steps are long.
        if self.arithmetic.step == AffineStep::Exact && vectors.len() > MOST_CALLS {
            self.clamp_in_loop(vectors, &names);
            self.line("");
            self.line(format!("// Store {} {} of dst.", packets.len(), self.unit()));
            for (n, packet) in packets.iter().enumerate() {
                self.store(n, packet, &names, &places);
            }
        } else {
            self.clamp_each(vectors, packets, &names, &places);
        }
    }

    /// The function that clamps a vector.
    fn function(&self) -> &'static str {
        let size = self.piece.size(DST);
        // For 4-byte elements `elements` serves, because a packet is a vector of four elements.
        let by_packets = self.takes_packets && size < WORD || size > WORD;
        match (self.steps_channels(), by_packets) {
            (true, _) => "element",
            (_, true) => "packet",
            _ => "elements",
        }
    }

    /// Whether vectors look channels up. In further turns, a stream keeps the channel of its run.
    fn looks_up(&self) -> bool {
        let Piece { order, channels, .. } = *self.piece;
        channels != Channels::None && !(self.turn > 0 && order == Order::Stream && channels == Channels::One)
    }

    /// Writes a loop over the vectors, of which the first is clamped in each round. All channels have equally many.
    fn clamp_in_loop(&mut self, vectors: &[Vector], names: &[String]) {
        let (count, function) = (vectors.len(), self.function());
        self.line(format!("// Clamp {count} vectors, the first of them in each round."));
        for (name, vector) in names.iter().zip(vectors) {
            self.line(format!("var {name} = {};", vector.bits));
        }
        let of_channel = vectors.iter().filter(|vector| vector.channel() == 0).count();
        debug_assert!(vectors.iter().enumerate().all(|(v, vector)| v / of_channel == vector.channel()));
        let (steps, looks_up) = (self.steps_channels(), self.looks_up());
        if steps {
            self.line("var element_next = element_0;");
        } else if looks_up && of_channel == count {
            self.line("set_channel(channel_0);");
        }
        self.within(format!("for (var i = 0u; i < {count}u; i++) {{"), |text| {
            if steps {
                text.line("set_channel(channel_0 + channel_in_run(element_next));");
                text.line("element_next = next_element(element_next);");
            } else if looks_up && of_channel < count {
                text.line(format!("set_channel(channel_0 + i / {of_channel}u);"));
            }
            text.line(format!("let last = {function}({});", names[0]));
            for pair in names.windows(2) {
                text.line(format!("{} = {};", pair[0], pair[1]));
            }
            text.line(format!("{} = last;", names[count - 1]));
        });
    }

    /// Writes a call for each vector. Stores each packet as soon as it is complete, so that few values are alive at once.
    fn clamp_each(&mut self, vectors: &[Vector], packets: &[Packet], names: &[String], places: &Places) {
        let (count, function, unit) = (vectors.len(), self.function(), self.unit());
        self.line(format!("// Clamp {count} vector(s), and store {} {unit} of dst.", packets.len()));
        // The last vector that each packet needs.
        let vector_of = |element: &Element| places[&(element.rows[DST], element.offsets[DST])].0;
        let last = |packet: &Packet| packet.places.iter().flatten().map(vector_of).max();
        let (mut current, mut stored) = (None, 0);
        for (v, vector) in vectors.iter().enumerate() {
            let n = vector.channel();
            if self.looks_up() && current != Some(n) {
                current = Some(n);
                let first = Expr::name("channel_0");
                let channel = if self.steps_channels() {
                    let found = Expr::Call("channel_in_run", vec![Expr::name(format!("element_{n}"))]);
                    first.binary("+", found)
                } else {
                    first.plus(n)
                };
                self.line(format!("set_channel({channel});"));
            }
            self.line(format!("let {} = {function}({});", names[v], vector.bits));
            while stored < packets.len() && last(&packets[stored]) <= Some(v) {
                self.store(stored, &packets[stored], names, places);
                stored += 1;
            }
        }
    }
}
