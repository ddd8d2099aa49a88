//! Counts what the warps of a GPU do, on a sample of a dispatch's invocations. A warp is 32 invocations that run each
//! instruction together; the machine executes two of them side by side.

#![expect(clippy::cast_precision_loss, reason = "counts of a sample are far below 2^53")]

use crate::code::{LANES, NONE, Opcode, Reg};

/// Invocations of a warp.
const WARP: usize = 32;

/// Bytes of a cache line.
const LINE: u64 = 128;
/// Bytes of the part of a line that a store should fill.
const SECTOR: u64 = 32;
/// Words of workgroup memory that an access reaches at once if they lie in different banks.
const BANKS: u64 = 32;
/// The most words that one instruction of a lane loads or stores.
const MOST_WORDS: u64 = 4;

/// What all warps of a dispatch do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Number of warps.
    pub warps: f64,
    /// Instructions that compute, as a GPU's compiler would leave them, each counted once per warp that executes it.
    /// Accesses do not count.
    pub operations: f64,
    /// Accesses of private arrays by an index that is computed.
    pub indexed: f64,
    /// Rounds of accesses to workgroup memory: in a round, each of its [`BANKS`] gives one word.
    pub shared: f64,
    /// Binding numbers of group 0, and the accesses through each.
    pub bindings: Vec<(u32, Access)>,
}

/// Accesses through one binding. A lane's accesses to neighbouring words by one expression count as one, if they begin
/// at a multiple of 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Access {
    /// Lines of 128 bytes that a load touches, summed over loads.
    pub load_lines: f64,
    /// Different addresses of a load beyond the first, summed over loads.
    pub more_addresses: f64,
    /// Lines of 128 bytes in which a store fills a sector of 32 bytes only in part, summed over stores.
    pub torn_lines: f64,
    /// Other lines that a store touches, summed over stores.
    pub whole_lines: f64,
}

impl Access {
    fn times(self, scale: f64) -> Self {
        let Self { load_lines, more_addresses, torn_lines, whole_lines } = self;
        let [load_lines, more_addresses, torn_lines, whole_lines] =
            [load_lines, more_addresses, torn_lines, whole_lines].map(|count| count * scale);
        Self { load_lines, more_addresses, torn_lines, whole_lines }
    }
}

/// Counts in the making.
#[derive(Default)]
pub(crate) struct Profiler {
    /// The most batches to execute.
    most: u64,
    /// Batches executed.
    taken: u64,
    counts: Counts,
    /// The access to which the next word may belong.
    pending: Option<Pending>,
}

struct Pending {
    /// The group and the binding; a group of [`NONE`] is workgroup memory.
    binding: (u32, u32),
    is_store: bool,
    /// The expression, and the register of its address.
    site: (u32, Reg),
    words: u64,
    /// The byte where each active lane begins.
    first: [Option<u64>; LANES],
}

impl Profiler {
    /// Takes about `batches` batches of a dispatch, at least one.
    pub(crate) fn of(batches: u64) -> Self {
        Self { most: batches.max(1), ..Self::default() }
    }

    /// The counts, scaled to a dispatch of so many invocations.
    pub(crate) fn scaled(mut self, invocations: f64) -> Counts {
        self.finish();
        let scale = invocations / LANES as f64 / self.taken.max(1) as f64;
        let mut counts = self.counts;
        counts.warps = invocations / WARP as f64;
        counts.operations *= scale;
        counts.indexed *= scale;
        counts.shared *= scale;
        for (_, access) in &mut counts.bindings {
            *access = access.times(scale);
        }
        counts
    }

    /// Whether the `n`-th of `count` groups of batches belongs to the sample. `batches`: of each group.
    pub(crate) fn takes(&mut self, n: u64, count: u64, batches: u64) -> bool {
        self.finish();
        // One of each `every` groups, at a place that varies: regular places could all be alike.
        let every = (count * batches).div_ceil(self.most);
        let place = ((n / every).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % every;
        let takes = n % every == place;
        self.taken += if takes { batches } else { 0 };
        takes
    }

    /// Counts an operation of the active lanes, which takes `weight` instructions.
    pub(crate) fn step(&mut self, code: Opcode, active: u64, weight: u8) {
        let warps = f64::from(u8::from(active << WARP != 0) + u8::from(active >> WARP != 0));
        self.counts.operations += warps * f64::from(weight);
        if matches!(code, Opcode::ReadRegister | Opcode::WriteRegister) {
            self.counts.indexed += warps;
        }
    }

    /// Counts an access to one word per lane; `first` has the bytes where the words of the active lanes begin.
    pub(crate) fn access(
        &mut self,
        binding: (u32, u32),
        is_store: bool,
        site: (u32, Reg),
        first: &[Option<u64>; LANES],
    ) {
        if let Some(pending) = &mut self.pending {
            let by = 4 * pending.words;
            let follows =
                pending.first.iter().zip(first).all(|(before, next)| before.map(|at| at + by) == *next);
            let aligned = pending.first.iter().flatten().all(|at| at.is_multiple_of(16));
            let same = (pending.binding, pending.is_store, pending.site) == (binding, is_store, site);
            if same && site.1 != NONE && follows && aligned && pending.words < MOST_WORDS {
                pending.words += 1;
                return;
            }
        }
        self.finish();
        self.pending = Some(Pending { binding, is_store, site, words: 1, first: *first });
    }

    /// Counts the access that no word follows.
    fn finish(&mut self) {
        let Some(Pending { binding: (group, binding), is_store, words, first, .. }) = self.pending.take()
        else {
            return;
        };
        if group == NONE {
            self.counts.shared += first.chunks(WARP).map(|warp| rounds(warp, words) as f64).sum::<f64>();
            return;
        }
        let bindings = &mut self.counts.bindings;
        let at = bindings.iter().position(|(number, _)| *number == binding).unwrap_or_else(|| {
            bindings.push((binding, Access::default()));
            bindings.len() - 1
        });
        let access = &mut bindings[at].1;
        for warp in first.chunks(WARP) {
            let mut addresses: Vec<u64> = warp.iter().flatten().copied().collect();
            addresses.sort_unstable();
            addresses.dedup();
            let mut all: Vec<u64> =
                addresses.iter().flat_map(|at| (0..words).map(move |word| at / 4 + word)).collect();
            all.sort_unstable();
            all.dedup();
            let lines = all.chunk_by(|a, b| a * 4 / LINE == b * 4 / LINE);
            if is_store {
                let is_torn = |line: &&[u64]| {
                    let mut sectors = line.chunk_by(|a, b| a * 4 / SECTOR == b * 4 / SECTOR);
                    sectors.any(|sector| 4 * (sector.len() as u64) < SECTOR)
                };
                let count = lines.clone().count();
                let torn = lines.filter(is_torn).count();
                access.torn_lines += torn as f64;
                access.whole_lines += (count - torn) as f64;
            } else {
                access.load_lines += lines.count() as f64;
                access.more_addresses += addresses.len().saturating_sub(1) as f64;
            }
        }
    }
}

/// The rounds of an access of a warp to workgroup memory, `words` for each lane.
fn rounds(first: &[Option<u64>], words: u64) -> usize {
    let mut all: Vec<u64> =
        first.iter().flatten().flat_map(|at| (0..words).map(move |word| at / 4 + word)).collect();
    all.sort_unstable();
    all.dedup();
    (0..BANKS).map(|bank| all.iter().filter(|word| *word % BANKS == bank).count()).max().unwrap_or(0)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "counts are whole numbers, scaled by powers of two")]
mod tests {
    use super::*;
    use crate::{Binding, Module};
    use crate::{Dispatch, Memory, counts};

    /// Counts of a kernel with this body, on as many workgroups of two warps.
    fn counted(body: &str, workgroups: u32) -> Counts {
        let text = format!(
            "@group(0) @binding(0) var<uniform> numbers: array<vec4<u32>, 64>;
            @group(0) @binding(1) var<storage, read> src: array<u32>;
            @group(0) @binding(2) var<storage, read_write> dst: array<u32>;
            @group(0) @binding(3) var<storage, read_write> packets: array<vec4<u32>>;
            var<workgroup> words: array<u32, 256>;
            var<workgroup> exchanged: array<vec4<u32>, 256>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                let i = id.x;
                {body}
            }}"
        );
        let program = Module::parse(&text).unwrap().program("main", &[]).unwrap();
        let sizes = [1024, 1 << 22, 1 << 22, 1 << 22];
        let bound = |n: usize| Binding { group: 0, binding: n as u32, buffer: n, offset: 0, size: sizes[n] };
        let bindings = (0..4).map(bound).collect();
        let dispatch = Dispatch { program: &program, grid: [workgroups, 1, 1], bindings };
        counts(&[dispatch], &sizes.map(|size| Memory::new(size, 0)), 10).remove(0)
    }

    /// Load lines, further addresses, torn lines and whole lines of a binding, per warp.
    fn accesses(body: &str, binding: u32) -> [f64; 4] {
        let counts = counted(body, 2);
        let access = counts.bindings.iter().find(|(number, _)| *number == binding).map(|(_, access)| *access);
        let Access { load_lines, more_addresses, torn_lines, whole_lines } =
            access.unwrap_or_default().times(0.25);
        [load_lines, more_addresses, torn_lines, whole_lines]
    }

    #[test]
    fn accesses_touch_lines() {
        for (body, binding, expected) in [
            // Neighbouring words fill a line.
            ("dst[i] = src[i];", 1, [1.0, 31.0, 0.0, 0.0]),
            ("dst[i] = src[i];", 2, [0.0, 0.0, 0.0, 1.0]),
            // A packet per lane is one access.
            ("packets[i] = packets[i + 128u] + 1u;", 3, [4.0, 31.0, 0.0, 4.0]),
            // Strides touch more lines, and tear them.
            ("dst[i] = src[3u * i];", 1, [3.0, 31.0, 0.0, 0.0]),
            ("dst[2u * i] = src[i];", 2, [0.0, 0.0, 2.0, 0.0]),
            ("for (var n = 0u; n < 4u; n++) { packets[4u * i + n] = vec4(1u); }", 3, [0.0, 0.0, 64.0, 0.0]),
            // 28 of 32 lanes: the last sector has 4 of 8 words.
            ("if i % 32u < 28u { dst[i] = 1u; }", 2, [0.0, 0.0, 1.0, 0.0]),
            // A uniform under an index that differs has many addresses.
            ("dst[i] = numbers[3].x;", 0, [0.0, 0.0, 0.0, 0.0]),
            ("dst[i] = numbers[i % 4u].x;", 0, [1.0, 3.0, 0.0, 0.0]),
            ("dst[i] = numbers[i % 64u].x;", 0, [4.0, 31.0, 0.0, 0.0]),
        ] {
            assert_eq!(accesses(body, binding), expected, "{body}");
        }
    }

    #[test]
    fn operations_count_once_per_warp_that_takes_them() {
        let of = |body: &str| counted(body, 1).operations;
        let none = of("dst[i] = src[i];");
        assert_eq!(of("dst[i] = src[i] ^ (i * 3u);"), none + 4.0);
        // One of the two warps of each workgroup.
        let half = of("if i % 64u < 32u { dst[i] = src[i] * 3u; } else { dst[i] = src[i]; }");
        let both = of("if i % 2u < 1u { dst[i] = src[i] * 3u; } else { dst[i] = src[i]; }");
        assert!(half < both, "{half} {both}");
        // A product with a sum is one instruction.
        let float = |text: &str| of(&format!("dst[i] = bitcast<u32>({text});"));
        assert_eq!(float("bitcast<f32>(src[i]) * 3.0 + 1.0"), float("bitcast<f32>(src[i]) * 3.0"));
    }

    #[test]
    fn words_of_one_bank_take_rounds_and_indexed_arrays_count() {
        let shared = |body: &str| counted(body, 1).shared / 2.0;
        assert_eq!(shared("words[i] = 1u;"), 1.0);
        assert_eq!(shared("words[(2u * i) % 256u] = 1u;"), 2.0);
        assert_eq!(shared("words[(33u * i) % 256u] = 1u;"), 1.0);
        // A packet has four words; neighbouring packets lie in all banks, second ones in half of them.
        assert_eq!(shared("exchanged[i] = vec4(1u);"), 4.0);
        assert_eq!(shared("exchanged[(2u * i) % 256u] = vec4(1u);"), 8.0);
        let array = "var a = array<u32, 4>(1u, 2u, 3u, 4u);";
        assert_eq!(counted(&format!("{array} dst[i] = a[src[i] % 4u];"), 1).indexed, 2.0);
        assert_eq!(counted(&format!("{array} dst[i] = a[2];"), 1).indexed, 0.0);
    }

    #[test]
    fn a_sample_counts_for_the_whole() {
        let counts = counted("dst[i] = src[i];", 1 << 14);
        assert_eq!((counts.warps, counts.bindings[1].1.whole_lines), (32768.0, 32768.0));
    }
}
