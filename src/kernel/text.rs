//! Writes the WGSL of a piece: loads, clamps and stores, one line each; places of elements are constants.

mod arrange;
mod expr;
mod store;

use std::collections::{BTreeSet, HashMap};

use super::piece::{Along, Channels, MAX_DIMS, Order, Piece, Reads, Stores, Stride};
use super::region::{DST, SRC};
use super::{PACKET, Placement, WORD};
use crate::arithmetic::{AffineStep, Arithmetic};
use crate::fragment::{Fragment, fragment};

use expr::Expr;
pub(super) use store::MOST_CALLS;
use store::packet_fragment;

/// The most pieces of an invocation on a CPU, and the bytes that they load and store: longer texts compile for long.
const MOST_TURNS: usize = 8;
const BYTES_OF_TURNS: usize = 256;

/// The components of a vector.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// An element of a piece.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// Offsets from the starts of the element's rows in src and dst, in elements.
    offsets: [i32; 2],
    /// The indices of the element's rows in [`Piece::rows`].
    rows: [usize; 2],
    /// Counted from the piece's first channel.
    channel: u8,
}

/// A row of a piece on one side: its index along each far dimension, 0 along the others.
type Index = [u8; MAX_DIMS];

/// All indices below these extents, in row-major order.
fn indices([a, b, c]: [u8; MAX_DIMS]) -> impl Iterator<Item = [u8; MAX_DIMS]> {
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])))
}

impl Piece {
    /// The fragments of the piece's module.
    pub(super) fn fragments(&self, arithmetic: Arithmetic) -> Vec<Fragment> {
        let mut fragments = vec![fragment!("kernel/walk")];
        fragments.extend(match self.order {
            Order::Stream => vec![fragment!("kernel/run"), fragment!("kernel/stream")],
            Order::Line => vec![fragment!("kernel/boxes")],
            Order::Squares => vec![fragment!("kernel/boxes"), fragment!("kernel/squares")],
        });
        if self.stores == Stores::Exchanged {
            fragments.push(fragment!("kernel/exchange"));
        }
        match self.reads {
            Reads::AcrossWords if !self.loads_single_elements() => {
                fragments.push(fragment!("kernel/across_words"));
            }
            Reads::AcrossPackets => fragments.push(fragment!("kernel/across_packets")),
            Reads::Packets | Reads::Words | Reads::AcrossWords => {}
        }
        fragments.extend(match self.size(DST) {
            WORD => None,
            8 if self.channels == Channels::Stepped => None,
            1 if !self.takes_packets(arithmetic) => Some(fragment!("packet/of_quads8")),
            2 if !self.takes_packets(arithmetic) => Some(fragment!("packet/of_quads16")),
            _ => Some(packet_fragment(arithmetic)),
        });
        fragments
    }

    /// The generated part of the piece's module.
    pub(super) fn text(&self, arithmetic: Arithmetic, placement: Placement, cpu: bool) -> String {
        let turns = self.turns(arithmetic, cpu);
        let takes_packets = self.takes_packets(arithmetic);
        let lines = entry_point(self.order.kernel(), cpu, turns);
        let mut text = Text {
            piece: self,
            turn: 0,
            elements: Vec::new(),
            arithmetic,
            placement,
            takes_packets,
            lines,
            indent: 1,
        };
        text.first_place();
        for turn in 0..turns {
            text.elements = self.elements();
            // The names of a turn are its own.
            text.turn = turn;
            text.within_if(turns > 1, "{", Text::piece);
        }
        text.finish()
    }

    /// Whether each row of src has one element.
    fn loads_single_elements(&self) -> bool {
        self.dims().iter().all(|dim| matches!(dim.strides[SRC], Stride::Far | Stride::Near(0)))
    }

    /// Pieces that an invocation takes in turn: on a CPU, several short ones, so that it finds its place once for many
    /// elements. On a GPU one; in a stream with [`Channels::One`] two, which share the look-up of their channel. The text
    /// repeats them: loops took 1.3 times as long on lavapipe.
    pub(super) fn turns(&self, arithmetic: Arithmetic, cpu: bool) -> u32 {
        if !cpu {
            return if self.order == Order::Stream && self.channels == Channels::One { 2 } else { 1 };
        }
        if self.order == Order::Squares || self.stores == Stores::Exchanged {
            return 1;
        }
        let bytes = self.len() * (self.size(SRC) + self.size(DST));
        let calls = self.len().div_ceil(Self::at_once(self.size(DST)));
        let most = if arithmetic.step == AffineStep::Exact { MOST_CALLS / calls } else { MOST_TURNS };
        (BYTES_OF_TURNS / bytes).min(most).max(1) as u32
    }

    /// The rows of one side: one for each set of indices along the far dimensions.
    fn rows(&self, side: usize) -> Vec<Index> {
        let extent = |dim: Along| if dim.strides[side] == Stride::Far { dim.extent } else { 1 };
        indices(self.dims.map(extent)).collect()
    }

    /// The elements, sorted by row and offset in dst.
    fn elements(&self) -> Vec<Element> {
        let rows = [SRC, DST].map(|side| self.rows(side));
        let element = |index: [u8; MAX_DIMS]| {
            let channel = self.channel_dim().map_or(0, |d| index[d]);
            let mut element = Element { offsets: [0, self.kept_before.into()], rows: [0; 2], channel };
            for side in [SRC, DST] {
                let mut row = Index::default();
                for (d, dim) in self.dims.iter().enumerate() {
                    match dim.strides[side] {
                        Stride::Near(stride) => {
                            element.offsets[side] += i32::from(stride) * i32::from(index[d]);
                        }
                        Stride::Far => row[d] = index[d],
                    }
                }
                let number = rows[side].iter().position(|other| *other == row);
                element.rows[side] = number.expect("all rows are listed");
            }
            element
        };
        let mut elements: Vec<_> = indices(self.dims.map(|dim| dim.extent)).map(element).collect();
        elements.sort_by_key(|element| (element.rows[DST], element.offsets[DST]));
        elements
    }
}

/// The text of a piece in the making.
struct Text<'a> {
    piece: &'a Piece,
    turn: u32,
    /// In the order of dst.
    elements: Vec<Element>,
    arithmetic: Arithmetic,
    placement: Placement,
    /// [`Piece::takes_packets`].
    takes_packets: bool,
    lines: Vec<String>,
    /// The indentation level of the next line.
    indent: usize,
}

/// Src's words, by row and index in the row: all words that hold elements.
type Words = HashMap<(usize, usize), Expr>;

impl Text<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        let indent = if line.is_empty() { 0 } else { 4 * self.indent };
        self.lines.push(format!("{:indent$}{line}", ""));
    }

    /// Writes `opening`, indented `lines` and the closing brace.
    fn within(&mut self, opening: impl AsRef<str>, lines: impl FnOnce(&mut Self)) {
        self.line(opening);
        self.indent += 1;
        lines(self);
        self.indent -= 1;
        self.line("}");
    }

    /// Writes `opening`, indented `lines` and the closing brace if `is_within`, else the lines alone.
    fn within_if(&mut self, is_within: bool, opening: &str, lines: impl FnOnce(&mut Self)) {
        if is_within { self.within(opening, lines) } else { lines(self) }
    }

    /// Writes where the invocation's first piece begins, and looks the numbers up if they are the same for all pieces.
    fn first_place(&mut self) {
        self.line(match self.piece.order {
            Order::Squares => "let at = box_in_square(workgroup, invocation);",
            Order::Line => "let at = box_in_line(workgroup, invocation);",
            Order::Stream => "let at = run_of_units(workgroup, invocation);",
        });
        if self.piece.channels == Channels::None {
            self.line("set_channel(0u);");
        }
    }

    /// Writes an invocation's piece in a turn.
    fn piece(&mut self) {
        self.place();
        let loaded = self.load();
        self.clamp_and_store(&loaded);
    }

    /// Writes where the turn's piece begins, and its first channel if there are several.
    fn place(&mut self) {
        let (piece, turn) = (self.piece, self.turn);
        if piece.order == Order::Stream {
            self.line(format!("let unit = unit_of_run(at, {turn}u);"));
        }
        if self.exchanges() {
            // All invocations reach the barriers.
            for n in 0..self.packets_of_row() {
                self.line(format!("var packet_{n} = vec4<u32>();"));
            }
            self.line("var first = NOWHERE;");
            self.line("if at.inside {");
            self.indent += 1;
        } else {
            let outside = match (piece.order, turn) {
                (Order::Stream, _) => "!unit.inside".to_owned(),
                (_, 0) => "!at.inside".to_owned(),
                _ => format!("at.turns <= {turn}u"),
            };
            self.within(format!("if {outside} {{"), |text| text.line("return;"));
        }
        // The place of the first turn, and the distance of this one.
        if piece.order == Order::Stream {
            if piece.steps() {
                self.line("let element_0 = element_of_run(at, unit.first);");
                for n in 1..piece.len() {
                    self.line(format!("let element_{n} = next_element(element_{});", n - 1));
                }
            } else {
                self.line("let src = unit.src;");
            }
            self.line("let dst = unit.dst;");
        } else {
            for side in ["src", "dst"] {
                let step = format!(" + {turn}u * params.geometry.walk.turn_{side}");
                self.line(format!("let {side} = at.{side}{};", if turn == 0 { "" } else { &step }));
            }
        }
        if piece.channels != Channels::None {
            let of_piece = piece.channel_dim().map_or(1, |d| piece.dims[d].extent);
            let mut index = Expr::name("at.channel");
            if turn > 0 && piece.order != Order::Stream {
                index = index.binary("+", Expr::name(format!("{turn}u * params.geometry.walk.turn_channel")));
            }
            let index = index.times(of_piece.into());
            self.line(format!("let channel_0 = params.geometry.walk.first_channel + {index};"));
        }
    }

    /// Packets of dst in a row of the piece.
    fn packets_of_row(&self) -> usize {
        self.elements.len() / self.piece.per_store() / self.piece.rows(DST).len()
    }

    fn exchanges(&self) -> bool {
        self.piece.stores == Stores::Exchanged
    }

    /// An address: `offset` elements behind the start of a row.
    fn row(&self, side: usize, row: Index, offset: i32) -> Expr {
        if side == SRC && self.piece.steps() {
            return Expr::name(format!("element_{}.src", row[0]));
        }
        let (start, pitch) = [("src", "src_pitch"), ("dst", "dst_pitch")][side];
        let steps = row.into_iter().zip(COMPONENTS).filter(|(n, _)| *n > 0);
        let distance = |(n, component): (u8, &str)| {
            let pitch = Expr::name(format!("params.geometry.{pitch}.{component}"));
            if n == 1 { pitch } else { Expr::Number(n.into()).binary("*", pitch) }
        };
        let at = steps.map(distance).fold(Expr::name(start), |at, distance| at.binary("+", distance));
        let by = offset.unsigned_abs();
        if offset < 0 { at.binary("-", Expr::Number(by)) } else { at.plus(by as usize) }
    }

    /// Writes the loads of all words that hold elements, and returns these words.
    fn load(&mut self) -> Words {
        let piece = self.piece;
        let size = piece.size(SRC);
        let lowest = self.elements.iter().map(|element| element.offsets[SRC]).min().unwrap_or(0);
        for element in &mut self.elements {
            element.offsets[SRC] -= lowest;
        }
        let rows = piece.rows(SRC);
        self.line("");
        self.line(format!("// Load {} elements of src, in {} row(s).", self.elements.len(), rows.len()));
        let mut loaded = Words::new();
        for (r, row) in rows.iter().enumerate() {
            let start = self.row(SRC, *row, lowest);
            // Bytes of the row that are elements.
            let bytes: BTreeSet<usize> = self
                .elements
                .iter()
                .filter(|element| element.rows[SRC] == r)
                .flat_map(|element| (0..size).map(|byte| element.offsets[SRC] as usize * size + byte))
                .collect();
            match piece.reads {
                Reads::Packets | Reads::AcrossPackets => self.load_packets(r, start, &bytes),
                Reads::Words => self.load_words(r, start, &bytes),
                Reads::AcrossWords if piece.loads_single_elements() => {
                    // A single element lies in one word.
                    self.line(format!("let byte_{r} = {};", start.times(size)));
                    self.line(format!(
                        "let src_{r}_0 = load_src_word(byte_{r} / 4u) >> ((byte_{r} & 3u) * 8u);"
                    ));
                }
                Reads::AcrossWords => self.load_across_words(r, start, &bytes),
            }
            let name = |word: usize| {
                let (packet, component) = (word / 4, COMPONENTS[word % 4]);
                if piece.by_packets() {
                    format!("src_{r}_{packet}.{component}")
                } else {
                    format!("src_{r}_{word}")
                }
            };
            loaded.extend(words(&bytes).into_iter().map(|word| ((r, word), Expr::name(name(word)))));
        }
        loaded
    }

    /// Writes the loads of a row's packets, or of two packets for each, which are joined.
    fn load_packets(&mut self, r: usize, start: Expr, bytes: &BTreeSet<usize>) {
        let size = self.piece.size(SRC);
        let joins = self.piece.reads == Reads::AcrossPackets;
        let first = Expr::name(if joins { format!("byte_{r}") } else { format!("from_{r}") });
        let at = if joins { start.times(size) } else { start.divided(PACKET / size) };
        self.line(format!("let {first} = {at};"));
        for packet in bytes.iter().map(|byte| byte / PACKET).collect::<BTreeSet<_>>() {
            let load = |at: Expr| Expr::Call("load_src_packet", vec![at.plus(packet)]);
            let whole = if joins {
                // The second packet is the first one again where the elements lie in one.
                let [low, high] = [0, PACKET - 1].map(|by| load(first.clone().plus(by).divided(PACKET)));
                Expr::Call("across_packets", vec![first.clone(), Expr::Number(size as u32), low, high])
            } else {
                load(first.clone())
            };
            self.line(format!("let src_{r}_{packet} = {whole};"));
        }
    }

    /// Writes the loads of a row that begins at a word.
    fn load_words(&mut self, r: usize, start: Expr, bytes: &BTreeSet<usize>) {
        let size = self.piece.size(SRC);
        let first = if size < WORD { start.divided(WORD / size) } else { start.times(size / WORD) };
        self.line(format!("let from_{r} = {first};"));
        for word in words(bytes) {
            let at = Expr::name(format!("from_{r}")).plus(word);
            self.line(format!("let src_{r}_{word} = load_src_word({at});"));
        }
    }

    /// Writes the loads of a row that may begin within a word. Loads only words that hold a byte of an element.
    fn load_across_words(&mut self, r: usize, start: Expr, bytes: &BTreeSet<usize>) {
        let size = self.piece.size(SRC);
        self.line(format!("let byte_{r} = {};", start.times(size)));
        self.line(format!("let from_{r} = byte_{r} / 4u;"));
        self.line(format!("let shift_{r} = (byte_{r} & 3u) * 8u;"));
        let of_word = |word| Expr::name(format!("from_{r}")).plus(word);
        let of_byte = |byte| Expr::name(format!("byte_{r}")).plus(byte).divided(WORD);
        let mut loads = Vec::new();
        for word in words(bytes) {
            let first = bytes.range(word * WORD..).next().expect("the word has a byte");
            let last = bytes.range(..(word + 1) * WORD).next_back().expect("the word has a byte");
            // If the next word begins with an element too, one load serves both words.
            let shared = last % WORD == 3 && bytes.contains(&(last + 1));
            let low = if first.is_multiple_of(WORD) { of_word(word) } else { of_byte(*first) };
            let high = if shared { of_word(word + 1) } else { of_byte(*last) };
            let [low, high] = [low, high].map(|at| {
                let known = loads.iter().position(|other| *other == at);
                let n = known.unwrap_or(loads.len());
                if known.is_none() {
                    self.line(format!("let word_{r}_{n} = load_src_word({at});"));
                    loads.push(at);
                }
                Expr::name(format!("word_{r}_{n}"))
            });
            self.line(format!("let src_{r}_{word} = across_words({low}, {high}, shift_{r});"));
        }
    }

    /// Writes the end of the box, and the rounds of stores.
    fn store_exchanged(&mut self) {
        self.line("first = to_0;");
        self.indent -= 1;
        self.line("}");
        self.line("put_place(invocation, first);");
        let (packets, round) = (self.packets_of_row(), self.piece.round());
        for first in (0..packets).step_by(round) {
            if first > 0 {
                self.line("workgroupBarrier();");
            }
            let count = round.min(packets - first);
            for n in 0..count {
                self.line(format!("put(invocation, {n}u, {count}u, packet_{});", first + n));
            }
            self.line("workgroupBarrier();");
            for n in 0..count {
                self.line(format!(
                    "store_exchanged({n}u * WORKGROUP_SIZE + invocation, {count}u, {first}u);"
                ));
            }
        }
    }

    fn finish(mut self) -> String {
        if self.exchanges() {
            self.store_exchanged();
        }
        self.indent -= 1;
        self.line("}");
        if self.exchanges() {
            self.line("");
            self.line("// The most packets of a box in a round.");
            self.line(format!("const MOST_OF_ROUND: u32 = {}u;", self.piece.round()));
        }
        format!("// Pieces of {}.\n{}\n", self.piece, self.lines.join("\n"))
    }
}

/// The first lines of an entry point, whose invocations take so many pieces or words in turn.
pub(super) fn entry_point(name: &str, cpu: bool, turns: u32) -> Vec<String> {
    vec![
        "// Whether a CPU runs the shader, and pieces or words that an invocation takes in turn.".to_owned(),
        format!("const ON_CPU: bool = {cpu};"),
        format!("const TURNS: u32 = {turns}u;"),
        String::new(),
        "@compute @workgroup_size(WORKGROUP_SIZE)".to_owned(),
        format!(
            "fn {name}(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {{"
        ),
    ]
}

/// The words that hold these bytes.
fn words(bytes: &BTreeSet<usize>) -> BTreeSet<usize> {
    bytes.iter().map(|byte| byte / WORD).collect()
}
