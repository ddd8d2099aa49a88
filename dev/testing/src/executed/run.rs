//! Executes the dispatches of a plan on each of the sanitizer's devices, and compares the results.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use wgpu_clamp::plan::{self, BoundBuffer, Recording, Shader};
use wgpu_clamp::reference::Allowed;
use wgsl_sanitizer::{
    Binding, Device, Dispatch, Error, HalfRounding, Memory, Module, Program, Source, Subnormals,
};

use super::located::located;

/// The dispatches of a plan, the contents of their buffers, and the results that are right.
#[derive(Clone)]
pub struct Run {
    /// The shaders and dispatches.
    pub recording: Recording,
    /// The caller's buffers: src and dst, or their common buffer, then a buffer with all slots.
    pub(super) buffers: Vec<Memory>,
    /// All elements of the output.
    pub(super) output: Vec<Place>,
}

/// An element of the output.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Offset of the first byte in dst's buffer.
    pub(super) offset: u64,
    /// Size in bytes, at most 8.
    pub(super) size: usize,
    /// The bits of the source element.
    pub(super) input: u64,
    /// The results that the element may have.
    pub(super) allowed: Allowed,
}

/// What a device did.
pub struct Verdict {
    /// The device, in words.
    pub device: String,
    /// Faults of shaders, wrong elements, and changed bytes outside the output. Lines are those of files in `shaders/`.
    pub findings: Vec<String>,
}

/// A cache of modules by WGSL, each with its programs by entry point and constants: building a program takes longer
/// than running it.
type Modules = HashMap<String, (Module, HashMap<String, Rc<Program>>)>;

thread_local! {
    static MODULES: RefCell<Modules> = RefCell::default();
}

/// All modules are dropped when more than this many are kept.
const MOST: usize = 200;

/// The module of the probe of `Host::check_f16`.
const PROBE: &str = concat!(
    include_str!("../../../../shaders/f16/integers.wgsl"),
    include_str!("../../../../shaders/f16/device.wgsl"),
    include_str!("../../../../shaders/grid.wgsl"),
    include_str!("../../../../shaders/probe.wgsl"),
);

/// Whether the probe of `Host::check_f16` finds a device's conversions right, by `groups` of its 256 workgroups.
pub fn probe_accepts(device: Device, groups: u32) -> bool {
    let module = Module::parse(PROBE).expect("the probe is valid");
    let program = module.program("probe", &[]).expect("the probe is supported");
    let bindings = vec![Binding { group: 0, binding: 0, buffer: 0, offset: 0, size: 24 }];
    let dispatch = Dispatch { program: &program, grid: [groups, 1, 1], bindings };
    // `Probe` of the shader. The grid counts as the whole one, so that each invocation takes one F16.
    let probe = [0, 0, groups, 1 << 16, 1.0_f32.to_bits(), 0.0_f32.to_bits()];
    let bytes: Vec<u8> = probe.into_iter().flat_map(u32::to_le_bytes).collect();
    let outcome = wgsl_sanitizer::on_device(device, &[dispatch], &[Memory::from_bytes(&bytes)]);
    assert!(outcome.findings.is_empty(), "{device}: {:?}", outcome.findings);
    let finite = (0..groups * 256).filter(|half| half & 0x7fff < 0x7c00).count() as u32;
    let found = outcome.buffers[0].to_bytes();
    let [right, wrong] =
        [0, 4].map(|at| u32::from_le_bytes(found[at..at + 4].try_into().expect("four bytes")));
    assert_eq!(right + wrong, finite, "{device}");
    wrong == 0
}

/// Whether a device rounds F16 to nearest and keeps its subnormals. A test holds this to [`probe_accepts`].
pub fn converts_f16(device: Device) -> bool {
    device.halves == HalfRounding::Nearest && device.subnormals != Subnormals::Flushed
}

impl Run {
    /// Executes the dispatches on each device.
    ///
    /// # Panics
    ///
    /// A shader is not valid, or uses a feature that the sanitizer lacks.
    pub fn execute(&self) -> Vec<Verdict> {
        self.try_execute(&self.recording.shaders).unwrap_or_else(|error| {
            let wgsl: String = self.recording.shaders.iter().map(|shader| &*shader.wgsl).collect();
            panic!("{error}\n{wgsl}")
        })
    }

    /// Executes the dispatches with `shaders` in place of the plan's.
    ///
    /// # Errors
    ///
    /// A shader is not valid, or uses a feature that the sanitizer lacks.
    pub fn try_execute(&self, shaders: &[Shader]) -> Result<Vec<Verdict>, Error> {
        let programs = MODULES.with_borrow_mut(|modules| programs(shaders, modules))?;
        let dispatches: Vec<_> =
            self.recording.dispatches.iter().map(|one| self.dispatch(one, &programs)).collect();
        let own = self.recording.buffers.iter().map(|bytes| Memory::from_bytes(bytes));
        let before: Vec<_> = self.buffers.iter().cloned().chain(own).collect();
        let mut outcomes = wgsl_sanitizer::everywhere(&dispatches, &before);
        if self.recording.shaders.iter().any(|shader| shader.wgsl.contains("_by_device")) {
            outcomes.retain(|outcome| converts_f16(outcome.device));
            assert!(!outcomes.is_empty(), "the probe refuses every device");
        }
        let told = outcomes.iter().map(|outcome| Verdict {
            device: outcome.device.to_string(),
            findings: self.findings(&dispatches, outcome),
        });
        Ok(told.collect())
    }

    fn dispatch<'a>(&self, of: &plan::Dispatch, programs: &'a [Rc<Program>]) -> Dispatch<'a> {
        let slots = self.buffers.len() - 1;
        let bind = |&plan::Binding { binding, buffer, offset, size, .. }: &plan::Binding| {
            let buffer = match buffer {
                BoundBuffer::Src => 0,
                BoundBuffer::Dst => 1,
                BoundBuffer::Slot(_) => slots,
                BoundBuffer::Own(n) => slots + 1 + n,
                other => panic!("{other:?} is new"),
            };
            Binding { group: 0, binding, buffer, offset, size }
        };
        let [x, y] = of.grid;
        let bindings = of.bindings.iter().map(bind).collect();
        Dispatch { program: &programs[of.shader], grid: [x, y, 1], bindings }
    }

    /// Lists the faults of an outcome. The output is copied into the buffers as they were before; any byte that then
    /// differs was changed outside the output.
    fn findings(&self, dispatches: &[Dispatch], outcome: &wgsl_sanitizer::Outcome) -> Vec<String> {
        let tell = |source: Option<&Source>, words: String| match source {
            // Changed shaders have the lines of the plan's.
            Some(source) => located(
                &self.recording.shaders[self.recording.dispatches[source.dispatch].shader].wgsl,
                &words,
            ),
            None => words,
        };
        let stored =
            |buffer: usize, byte: u64, words: String| match outcome.stored_by(dispatches, buffer, byte) {
                Some(source) => tell(Some(&source), format!("{words}, stored by {source}")),
                None => format!("{words}, which nothing stored"),
            };
        let faults =
            outcome.findings.iter().map(|finding| tell(finding.source.as_ref(), finding.to_string()));
        let mut findings: Vec<_> = faults.collect();
        let dst = self.buffers.len() - 2;
        let (mut expected, mut wrong) = (self.buffers.clone(), 0);
        for Place { offset, size, input, allowed } in &self.output {
            let mut bits = [0; 8];
            outcome.buffers[dst].read(*offset, &mut bits[..*size]);
            expected[dst].write(*offset, &bits[..*size]);
            let bits = u64::from_le_bytes(bits);
            // A few wrong elements say as much as all.
            if !allowed.contains(bits) && wrong < 3 {
                wrong += 1;
                let words = format!("byte {offset:#x}: {input:#x} became {bits:#x}, allowed {allowed:x?}");
                findings.push(stored(dst, *offset, words));
            }
        }
        for (n, before) in expected.iter().enumerate() {
            if let Some(byte) = before.first_difference(&outcome.buffers[n]) {
                let words = format!("byte {byte:#x} of buffer {n}, outside the output, changed");
                findings.push(stored(n, byte, words));
            }
        }
        findings
    }
}

fn programs(shaders: &[Shader], modules: &mut Modules) -> Result<Vec<Rc<Program>>, Error> {
    if modules.len() > MOST {
        modules.clear();
    }
    let made = shaders.iter().map(|Shader { wgsl, entry_point, constants, .. }| {
        if !modules.contains_key(wgsl) {
            modules.insert(wgsl.clone(), (Module::parse(wgsl)?, HashMap::new()));
        }
        let (module, programs) = modules.get_mut(wgsl).expect("it was put there");
        match programs.entry(format!("{entry_point} {constants:?}")) {
            Entry::Occupied(made) => Ok(Rc::clone(made.get())),
            Entry::Vacant(place) => {
                let program = module.program(entry_point, constants)?;
                Ok(Rc::clone(place.insert(Rc::new(program))))
            }
        }
    });
    made.collect()
}
