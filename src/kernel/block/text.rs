//! A block as WGSL: loads, clamps and stores, one line each, with the place of each element as a constant.

mod edges;
mod store;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::{Block, Element, Numbers, Order, Reads, Row, UNITS, Writes};
use crate::arithmetic::Arithmetic;
use crate::kernel::region::{DST, SRC};
use crate::kernel::{PACKET, Placement, WORD};

/// The components of a vector.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// What other fragments may provide to the text of a block, for its head.
const PROVIDED: [&str; 21] = [
    "params",
    "WORKGROUP_SIZE",
    "place",
    "segment",
    "in_run",
    "joined",
    "edge",
    "next_channel",
    "set_channel",
    "load_src_packet",
    "load_src_word",
    "load_dst_packet",
    "store_dst_packet",
    "store_dst_word",
    "straddling",
    "load_src",
    "store_dst",
    "element",
    "elements",
    "packet",
    "of_quads",
];

impl Block {
    /// The text of its module beside the fragments.
    pub(super) fn wgsl(&self, arithmetic: Arithmetic, placement: Placement) -> String {
        let elements = self.elements();
        let takes_packets = self.takes_packets(arithmetic);
        let mut text = Text {
            block: self,
            elements,
            arithmetic,
            placement,
            takes_packets,
            lines: Vec::new(),
            indent: 1,
        };
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
    /// [`Block::takes_packets`].
    takes_packets: bool,
    lines: Vec<String>,
    /// Levels of the next line.
    indent: usize,
}

/// What the words of src are called, by row and number in the row.
type Words = HashMap<(usize, usize), String>;

impl Text<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        let indent = if line.is_empty() { 0 } else { 4 * self.indent };
        self.lines.push(format!("{:indent$}{line}", ""));
    }

    /// Lines up to a brace that closes.
    fn within(&mut self, opening: impl AsRef<str>, lines: impl FnOnce(&mut Self)) {
        self.line(opening);
        self.indent += 1;
        lines(self);
        self.indent -= 1;
        self.line("}");
    }

    /// The place of the invocation's block, and its first channel if there are several.
    fn place(&mut self) {
        self.line("let start = place(workgroup, invocation);");
        self.within("if !start.inside {", |text| text.line("return;"));
        let mut at = "start";
        if let Writes::Joined { .. } = self.block.writes {
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
        self.line(format!("let src = {at}.src;"));
        self.line(format!("let dst = {at}.dst;"));
        match self.block.numbers {
            Numbers::One => return,
            Numbers::Around => return self.rows_around(),
            Numbers::Block | Numbers::Each => {}
        }
        let d = self.block.channel_dim();
        let last = self.block.dims().len() - 1;
        let index = match (self.block.writes, self.block.order) {
            (Writes::Joined { along }, _) if d == Some(along.into()) => "x",
            (Writes::Packets, Order::Squares { along_src }) if d == Some(along_src.into()) => "x",
            (Writes::Packets, Order::Squares { .. }) if d == Some(last) => "y",
            _ => "channel",
        };
        let of_block = d.map_or(1, |d| self.block.dims[d].extent);
        let first = "params.geometry.walk.first_channel";
        let index = scaled(&format!("{at}.{index}"), '*', of_block.into());
        self.line(format!("let channel_0 = {first} + {index};"));
    }

    /// Where the rows of a block of a run begin, the same on both sides.
    fn rows_around(&mut self) {
        self.line("let channel_0 = start.channel;");
        self.line("// Rows behind the last one are that one once more.");
        for n in 1..self.block.dims[0].extent {
            self.line(format!("let row_{n} = min({n}u, start.last) * params.geometry.pitch;"));
        }
    }

    /// An expression: from the start of a block on one side to a row, plus `offset` elements.
    fn row(&self, side: usize, row: Row, offset: i32) -> String {
        let (start, pitch) = [("src", "src_pitch"), ("dst", "dst_pitch")][side];
        let mut text = start.to_owned();
        for (n, component) in row.into_iter().zip(COMPONENTS) {
            match n {
                0 => {}
                n if self.block.numbers == Numbers::Around => _ = write!(text, " + row_{n}"),
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
        self.line(format!("// Load {} elements of src, in {} row(s).", self.elements.len(), rows.len()));
        let mut names = Words::new();
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
                Reads::Packets => {
                    self.line(format!("let from_{r} = {};", scaled(&start, '/', PACKET / size)));
                    let packets: BTreeSet<usize> = words.iter().map(|word| word / 4).collect();
                    for packet in packets {
                        let at = plus(&format!("from_{r}"), packet);
                        self.line(format!("let src_{r}_{packet} = load_src_packet({at});"));
                    }
                    let name = |word: usize| format!("src_{r}_{}.{}", word / 4, COMPONENTS[word % 4]);
                    names.extend(words.into_iter().map(|word| ((r, word), name(word))));
                }
                Reads::Words => {
                    self.line(format!("let from_{r} = {};", scaled(&start, '*', size / WORD)));
                    for word in words {
                        let name = format!("src_{r}_{word}");
                        let at = plus(&format!("from_{r}"), word);
                        self.line(format!("let {name} = load_src_word({at});"));
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
        self.line(format!("let byte_{r} = {};", scaled(start, '*', size)));
        self.line(format!("let from_{r} = byte_{r} / 4u;"));
        self.line(format!("let shift_{r} = (byte_{r} & 3u) * 8u;"));
        let words: BTreeSet<usize> = bytes.iter().map(|byte| byte / WORD).collect();
        let mut loaded: BTreeMap<String, String> = BTreeMap::new();
        for &word in &words {
            let first = bytes.range(word * WORD..).next().expect("the word has a byte");
            let last = bytes.range(..(word + 1) * WORD).next_back().expect("the word has a byte");
            // Where the next word begins with an element too, one load serves both.
            let shared = last % WORD == 3 && bytes.contains(&(last + 1));
            let low = if first.is_multiple_of(WORD) {
                plus(&format!("from_{r}"), word)
            } else {
                format!("(byte_{r} + {first}u) / 4u")
            };
            let high = if shared {
                plus(&format!("from_{r}"), word + 1)
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

    /// The whole text, with its head.
    fn finish(mut self) -> String {
        let mut provides = "block";
        if let Writes::Joined { along } = self.block.writes {
            self.indent -= 1;
            self.line("}");
            provides = "block, block_edges";
            self.indent -= 1;
            self.line("}");
            self.line("");
            self.edges(along.into());
        } else {
            self.indent -= 1;
            self.line("}");
        }
        let code = format!("{}\n{}\n", entry_point("block"), self.lines.join("\n"));
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let code_lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
        let words: BTreeSet<&str> = code_lines.flat_map(|line| line.split(|c| !is_name(c))).collect();
        let needs: Vec<_> = PROVIDED.into_iter().filter(|name| words.contains(name)).collect();
        let needs = needs.join(", ");
        format!("// A block of {}.\n//\n// Provides: {provides}\n// Needs: {needs}\n{code}", self.block)
    }
}

/// How an entry point begins.
fn entry_point(name: &str) -> String {
    format!(
        "@compute @workgroup_size(WORKGROUP_SIZE)\n\
         fn {name}(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {{"
    )
}

/// A sum with a constant.
fn plus(number: &str, constant: usize) -> String {
    if constant == 0 { number.to_owned() } else { format!("{number} + {constant}u") }
}

/// A product or a quotient with a constant of a number, or of a sum.
fn scaled(number: &str, operator: char, constant: usize) -> String {
    match constant {
        1 => number.to_owned(),
        _ if number.contains(' ') => format!("({number}) {operator} {constant}u"),
        _ => format!("{number} {operator} {constant}u"),
    }
}
