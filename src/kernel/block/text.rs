//! Writes the WGSL of a block: loads, clamps and stores, one line each; places of elements are constants.

mod edges;
mod expr;
mod store;

use std::collections::{BTreeSet, HashMap};

use super::runs::UNITS;
use super::{Along, Block, MAX_DIMS, Numbers, Reads, Shape, Stores, Stride};
use crate::arithmetic::Arithmetic;
use crate::fragment::{Fragment, fragment};
use crate::kernel::gather::unit_fragments;
use crate::kernel::region::{DST, SRC};
use crate::kernel::{PACKET, Placement, WORD, load_fragments, store_fragments};

pub(super) use expr::{Expr, Named};
pub(super) use store::MOST_CALLS;
use store::packet_fragment;

/// The components of a vector.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// An element of a block.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// Offsets from the starts of the element's rows in src and dst, in elements.
    offsets: [i32; 2],
    /// The indices of the element's rows in [`Block::rows`].
    rows: [usize; 2],
    /// Counted from the block's first channel.
    channel: u8,
}

/// A row of a block on one side: its index along each far dimension, 0 along the others.
type Index = [u8; MAX_DIMS];

/// All indices below these extents, in row-major order.
fn indices([a, b, c]: [u8; MAX_DIMS]) -> impl Iterator<Item = [u8; MAX_DIMS]> {
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])))
}

impl Block {
    /// The fragments of the block's module.
    pub(in crate::kernel) fn fragments(&self, arithmetic: Arithmetic) -> Vec<Fragment> {
        let (block, walk) = (fragment!("kernel/block"), fragment!("kernel/walk"));
        let mut fragments = match self.shape {
            Shape::Line => vec![block, walk],
            Shape::Squares { .. } => vec![block, walk, fragment!("kernel/block_squares")],
            Shape::Rows => vec![block, walk, fragment!("kernel/block_rows")],
            Shape::Runs { beside: false, .. } => vec![block, walk, fragment!("kernel/block_runs")],
            Shape::Runs { beside: true, .. } => {
                vec![block, walk, fragment!("kernel/block_runs"), fragment!("kernel/block_beside")]
            }
            Shape::Around => vec![fragment!("kernel/block_around")],
        };
        if self.stores == Stores::Exchanged {
            fragments.push(fragment!("kernel/block_exchange"));
        }
        if self.reads == Reads::Straddling {
            fragments.push(fragment!("kernel/straddling"));
        }
        if self.reads == Reads::Across || matches!(self.shape, Shape::Runs { .. }) {
            fragments.push(fragment!("kernel/across"));
        }
        match self.shape {
            Shape::Line | Shape::Squares { .. } => {}
            Shape::Rows => fragments.extend(unit_fragments(arithmetic)),
            Shape::Runs { .. } | Shape::Around => {
                fragments.extend(load_fragments(arithmetic));
                fragments.extend(store_fragments(arithmetic));
            }
        }
        fragments.extend(match self.size(DST) {
            WORD => None,
            1 if !self.takes_packets(arithmetic) => Some(fragment!("packet/of_quads8")),
            2 if !self.takes_packets(arithmetic) => Some(fragment!("packet/of_quads16")),
            _ => Some(packet_fragment(arithmetic)),
        });
        fragments
    }

    /// The generated part of the block's module.
    pub(in crate::kernel) fn text(&self, arithmetic: Arithmetic, placement: Placement) -> String {
        let elements = self.elements();
        let takes_packets = self.takes_packets(arithmetic);
        let lines = vec![entry_point("block")];
        let mut text = Text { block: self, elements, arithmetic, placement, takes_packets, lines, indent: 1 };
        text.place();
        let loaded = text.load();
        text.clamp_and_store(&loaded);
        text.finish()
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

/// The text of a block in the making.
struct Text<'a> {
    block: &'a Block,
    /// In the order of dst.
    elements: Vec<Element>,
    arithmetic: Arithmetic,
    placement: Placement,
    /// [`Block::takes_packets`].
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

    /// Writes the place of the invocation's block, and its first channel if there are several.
    fn place(&mut self) {
        let packets = self.packets_of_row();
        let start = match self.block.shape {
            Shape::Runs { beside: true, .. } => "beside(workgroup, invocation)".to_owned(),
            Shape::Rows => format!("place_in_row(workgroup, invocation, {packets}u)"),
            Shape::Squares { .. } => "place_in_square(workgroup, invocation)".to_owned(),
            Shape::Line | Shape::Runs { .. } | Shape::Around => "place(workgroup, invocation)".to_owned(),
        };
        self.line(format!("let start = {start};"));
        if self.runs_beside() {
            // All invocations reach the barrier.
            self.line("let at = start.at;");
            self.line("let dst = at.dst;");
            self.dst_rows();
            for n in 0..packets * self.block.rows(DST).len() {
                self.line(format!("var next_{n} = vec4<u32>();"));
            }
            self.line("if start.takes {");
            self.indent += 1;
        } else if self.exchanges() {
            // All invocations reach the barriers.
            for n in 0..packets {
                self.line(format!("var packet_{n} = vec4<u32>();"));
            }
            self.line("var first = NOWHERE;");
            self.line("if start.inside {");
            self.indent += 1;
        } else {
            self.within("if !start.inside {", |text| text.line("return;"));
        }
        if self.in_rows() {
            for n in 0..packets {
                self.line(format!("let to_{n} = row_packet(start, {n}u);"));
            }
        }
        let mut at = if self.runs_beside() { "at" } else { "start" };
        if let Shape::Runs { beside: false, .. } = self.block.shape {
            self.line(format!("let blocks = segment(start, {UNITS}u);"));
            for r in 0..self.block.rows(DST).len() {
                self.line(format!("var before_{r} = vec4<u32>();"));
            }
            self.line("// The block before the first one is computed for what it leaves to that.");
            self.line("for (var unit = max(blocks.first, 1u) - 1u; unit < blocks.end; unit++) {");
            self.indent += 1;
            self.line("let at = in_run(start, blocks.first, unit);");
            at = "at";
        }
        if !(self.in_rows() && self.block.by_packets()) {
            self.line(format!("let src = {at}.src;"));
        }
        if !(self.in_rows() || self.runs_beside()) {
            self.line(format!("let dst = {at}.dst;"));
        }
        if self.is_around() {
            self.line("let channel_0 = start.channel;");
            self.line("// Rows behind the last one are that one once more.");
            for n in 1..self.block.dims[0].extent {
                self.line(format!("let row_{n} = min({n}u, start.rows_left) * params.geometry.pitch;"));
            }
            return;
        }
        if self.block.numbers == Numbers::One {
            return;
        }
        let d = self.block.channel_dim();
        let last = self.block.dims().len() - 1;
        let index = match self.block.shape {
            Shape::Runs { along, .. } if d == Some(along.into()) => "x",
            Shape::Squares { along_src } if d == Some(along_src.into()) => "x",
            Shape::Squares { .. } if d == Some(last) => "y",
            _ => "channel",
        };
        let of_block = d.map_or(1, |d| self.block.dims[d].extent);
        let first = "params.geometry.walk.first_channel";
        let index = Expr::name(format!("{at}.{index}")).times(of_block.into());
        self.line(format!("let channel_0 = {first} + {index};"));
    }

    /// Packets of dst in a row of the block.
    fn packets_of_row(&self) -> usize {
        self.elements.len() / self.block.per_store() / self.block.rows(DST).len()
    }

    fn exchanges(&self) -> bool {
        self.block.stores == Stores::Exchanged
    }

    fn runs_beside(&self) -> bool {
        matches!(self.block.shape, Shape::Runs { beside: true, .. })
    }

    fn is_around(&self) -> bool {
        self.block.shape == Shape::Around
    }

    /// An address: `offset` elements behind the start of a row.
    fn row(&self, side: usize, row: Index, offset: i32) -> Expr {
        let (start, pitch) = [("src", "src_pitch"), ("dst", "dst_pitch")][side];
        let steps = row.into_iter().zip(COMPONENTS).filter(|(n, _)| *n > 0);
        let distance = |(n, component): (u8, &str)| {
            if self.is_around() {
                return Expr::name(format!("row_{n}"));
            }
            let pitch = Expr::name(format!("params.geometry.{pitch}.{component}"));
            if n == 1 { pitch } else { Expr::Number(n.into()).binary("*", pitch) }
        };
        let at = steps.map(distance).fold(Expr::name(start), |at, distance| at.binary("+", distance));
        let by = offset.unsigned_abs();
        if offset < 0 { at.binary("-", Expr::Number(by)) } else { at.plus(by as usize) }
    }

    /// Writes the loads of all words that hold elements, and returns these words.
    fn load(&mut self) -> Words {
        let block = self.block;
        let size = block.size(SRC);
        let lowest = self.elements.iter().map(|element| element.offsets[SRC]).min().unwrap_or(0);
        for element in &mut self.elements {
            element.offsets[SRC] -= lowest;
        }
        let rows = block.rows(SRC);
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
            let words: BTreeSet<usize> = bytes.iter().map(|byte| byte / WORD).collect();
            match block.reads {
                Reads::Packets | Reads::Across if self.in_rows() => self.load_of_row(&mut loaded),
                Reads::Across => unreachable!("only rows are read across packets"),
                Reads::Packets => {
                    self.line(format!("let from_{r} = {};", start.divided(PACKET / size)));
                    let packets: BTreeSet<usize> = words.iter().map(|word| word / 4).collect();
                    for packet in packets {
                        let at = Expr::name(format!("from_{r}")).plus(packet);
                        self.line(format!("let src_{r}_{packet} = load_src_packet({at});"));
                    }
                    loaded.extend(words.into_iter().map(|word| ((r, word), in_packet(r, word))));
                }
                Reads::Words => {
                    self.line(format!("let from_{r} = {};", start.times(size / WORD)));
                    for word in words {
                        let name = format!("src_{r}_{word}");
                        let at = Expr::name(format!("from_{r}")).plus(word);
                        self.line(format!("let {name} = load_src_word({at});"));
                        loaded.insert((r, word), Expr::name(name));
                    }
                }
                Reads::Straddling => self.load_straddling(r, start, &bytes, &mut loaded),
            }
        }
        loaded
    }

    /// Writes the loads for a row of [`Shape::Rows`]: a packet for each packet of dst.
    fn load_of_row(&mut self, loaded: &mut Words) {
        let across = self.block.reads == Reads::Across;
        let packets = self.packets_of_row();
        if across {
            let size = self.block.size(SRC);
            self.line("let shift = source_shift(start);");
            self.line("let last = last_source_packet(start);");
            for n in 0..packets {
                self.line(format!("let from_{n} = source_packet(start, to_{n});"));
                let low = format!("load_src_packet(from_{n})");
                if n == 0 {
                    self.line(format!("let low_0 = {low};"));
                } else {
                    // Reuses the preceding upper packet, unless `to_n` repeats `to_0` behind the row's end.
                    self.line(format!("var low_{n} = select(high_{}, low_0, to_{n} == to_0);", n - 1));
                    self.within("if !IN_SEQUENCE {", |text| text.line(format!("low_{n} = {low};")));
                }
                self.line(format!("let high_{n} = load_src_packet(min(from_{n} + 1u, last));"));
                self.line(format!("let src_0_{n} = across(shift, {size}u, low_{n}, high_{n});"));
            }
        } else {
            self.line("let distance = source_distance(start);");
            for n in 0..packets {
                self.line(format!("let src_0_{n} = load_src_packet(to_{n} + distance);"));
            }
        }
        loaded.extend((0..4 * packets).map(|word| ((0, word), in_packet(0, word))));
    }

    /// Writes the loads of a row that may begin within a word. Loads only words that hold a byte of an element.
    fn load_straddling(&mut self, r: usize, start: Expr, bytes: &BTreeSet<usize>, loaded: &mut Words) {
        let size = self.block.size(SRC);
        self.line(format!("let byte_{r} = {};", start.times(size)));
        self.line(format!("let from_{r} = byte_{r} / 4u;"));
        self.line(format!("let shift_{r} = (byte_{r} & 3u) * 8u;"));
        let words: BTreeSet<usize> = bytes.iter().map(|byte| byte / WORD).collect();
        let of_word = |word| Expr::name(format!("from_{r}")).plus(word);
        let of_byte = |byte| Expr::name(format!("byte_{r}")).plus(byte).divided(WORD);
        let mut loads = Named::new(format!("word_{r}_"));
        for &word in &words {
            let first = bytes.range(word * WORD..).next().expect("the word has a byte");
            let last = bytes.range(..(word + 1) * WORD).next_back().expect("the word has a byte");
            // If the next word begins with an element too, one load serves both words.
            let shared = last % WORD == 3 && bytes.contains(&(last + 1));
            let low = if first.is_multiple_of(WORD) { of_word(word) } else { of_byte(*first) };
            let high = if shared { of_word(word + 1) } else { of_byte(*last) };
            let known = loads.len();
            let [low, high] = [low, high].map(|at| loads.name(Expr::Call("load_src_word", vec![at])));
            for line in loads.declarations(known) {
                self.line(line);
            }
            let name = format!("src_{r}_{word}");
            self.line(format!("let {name} = straddling({low}, {high}, shift_{r});"));
            loaded.insert((r, word), Expr::name(name));
        }
    }

    /// Writes the end of the block, and the rounds of stores.
    fn store_exchanged(&mut self) {
        self.line("first = to_0;");
        self.indent -= 1;
        self.line("}");
        self.line("put_place(invocation, first);");
        let (packets, round) = (self.packets_of_row(), self.block.round());
        for first in (0..packets).step_by(round) {
            if first > 0 {
                self.line("workgroupBarrier();");
            }
            for n in 0..round {
                self.line(format!("put(invocation, {n}u, packet_{});", first + n));
            }
            self.line("workgroupBarrier();");
            for n in 0..round {
                self.line(format!("store_exchanged({n}u * WORKGROUP_SIZE + invocation, {first}u);"));
            }
        }
    }

    fn finish(mut self) -> String {
        if self.exchanges() {
            self.store_exchanged();
        } else if self.runs_beside() {
            self.store_beside();
        } else if self.joins() {
            self.indent -= 1;
            self.line("}");
        }
        self.indent -= 1;
        self.line("}");
        if let Shape::Runs { along, .. } = self.block.shape {
            self.line("");
            self.edges(along.into());
        }
        if self.runs_beside() {
            self.line("");
            self.line("// Runs of a block.");
            self.line(format!("const RUNS: u32 = {}u;", self.block.runs()));
        }
        if self.in_rows() && self.block.size(DST) < WORD {
            self.line("");
            self.line("// Whether rows of src have no gaps.");
            self.line(format!("const SRC_IN_ROWS: bool = {};", self.block.by_packets()));
        }
        if self.exchanges() {
            self.line("");
            self.line("// Packets of a block in each round.");
            self.line(format!("const ROUND: u32 = {}u;", self.block.round()));
        }
        format!("// A block of {}.\n{}\n", self.block, self.lines.join("\n"))
    }
}

/// The first lines of an entry point.
fn entry_point(name: &str) -> String {
    format!(
        "@compute @workgroup_size(WORKGROUP_SIZE)\n\
         fn {name}(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {{"
    )
}

/// A word in a row of src that is loaded by packets.
fn in_packet(row: usize, word: usize) -> Expr {
    Expr::name(format!("src_{row}_{}.{}", word / 4, COMPONENTS[word % 4]))
}
