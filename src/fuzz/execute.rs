//! Executes the dispatches of a plan on each of the sanitizer's devices.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use wgpu_clamp::fuzz::{self, Buffer, Finding, Place, Recording, Verdict};
use wgsl_sanitizer::{
    Binding, Device, Dispatch, Error, HalfRounding, Memory, Module, Program, Source, Subnormals,
};

/// A cache of modules by WGSL, each with its programs by entry point and constants: building a program takes longer
/// than running it.
type Modules = HashMap<String, (Module, HashMap<String, Rc<Program>>)>;

/// The choices of a device that its conversions of F16 depend on.
type Conversions = (Subnormals, bool, HalfRounding);

thread_local! {
    static MODULES: RefCell<Modules> = RefCell::default();
    /// Whether the probe finds these conversions right.
    static PROBED: RefCell<HashMap<Conversions, bool>> = RefCell::default();
}

/// Whether the probe of `Host::check_f16` finds a device's conversions right.
///
/// # Panics
///
/// The probe has a fault.
#[must_use]
pub fn converts_f16(device: Device) -> bool {
    let probe = || {
        let module = Module::parse(&fuzz::f16_probe()).expect("the probe is valid");
        let program = module.program("probe", &[]).expect("the probe is supported");
        let bindings = vec![Binding { group: 0, binding: 0, buffer: 0, offset: 0, size: 12 }];
        let dispatch = Dispatch { program: &program, grid: [256, 1, 1], bindings };
        let found = Memory::from_bytes(bytemuck::cast_slice(&[0.0_f32, 1.0, 0.0]));
        let outcome = wgsl_sanitizer::on_device(device, &[dispatch], &[found]);
        assert!(outcome.findings.is_empty(), "{device}: {:?}", outcome.findings);
        outcome.buffers[0].to_bytes()[..4] == u32::to_le_bytes(2 * 0x7c00)
    };
    let conversions = (device.subnormals, device.tiny_before_rounding, device.halves);
    PROBED.with_borrow_mut(|probed| *probed.entry(conversions).or_insert_with(probe))
}

/// All modules are dropped when more than this many are kept.
const MOST: usize = 200;

/// Runs dispatches on each of the sanitizer's devices.
///
/// # Panics
///
/// A program is not valid, or uses a feature that the sanitizer lacks.
#[must_use]
pub fn execute(recording: &Recording) -> Vec<Verdict> {
    try_execute(recording, &recording.programs).unwrap_or_else(|error| {
        let wgsl: String = recording.programs.iter().map(|program| &*program.wgsl).collect();
        panic!("{error}\n{wgsl}")
    })
}

/// Runs the recorded dispatches with `programs` in place of the recorded programs.
///
/// # Errors
///
/// A program is not valid, or uses a feature that the sanitizer lacks.
pub fn try_execute(recording: &Recording, programs: &[fuzz::Program]) -> Result<Vec<Verdict>, Error> {
    let programs = MODULES.with_borrow_mut(|modules| self::programs(programs, modules))?;
    let dispatches: Vec<_> = recording.dispatches.iter().map(|one| dispatch(one, &programs)).collect();
    let before: Vec<_> = recording.buffers.iter().map(memory).collect();
    let mut outcomes = wgsl_sanitizer::everywhere(&dispatches, &before);
    if programs_convert_f16(&recording.programs) {
        outcomes.retain(|outcome| converts_f16(outcome.device));
        assert!(!outcomes.is_empty(), "the probe refuses every device");
    }
    Ok(outcomes.iter().map(|outcome| describe(recording, &dispatches, before.clone(), outcome)).collect())
}

fn programs_convert_f16(programs: &[fuzz::Program]) -> bool {
    programs.iter().any(|program| program.wgsl.contains("_by_device"))
}

fn programs(programs: &[fuzz::Program], modules: &mut Modules) -> Result<Vec<Rc<Program>>, Error> {
    if modules.len() > MOST {
        modules.clear();
    }
    let made = programs.iter().map(|fuzz::Program { wgsl, entry_point, constants }| {
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

fn dispatch<'a>(of: &fuzz::Dispatch, programs: &'a [Rc<Program>]) -> Dispatch<'a> {
    let bind = |&fuzz::Binding { binding, buffer, offset, size }: &fuzz::Binding| Binding {
        group: 0,
        binding,
        buffer,
        offset,
        size,
    };
    let [x, y] = of.grid;
    Dispatch {
        program: &programs[of.program],
        grid: [x, y, 1],
        bindings: of.bindings.iter().map(bind).collect(),
    }
}

fn memory(of: &Buffer) -> Memory {
    let mut memory = Memory::new(of.size, of.fill);
    of.bytes.iter().for_each(|(offset, bytes)| memory.write(*offset, bytes));
    memory
}

/// Lists the faults of an outcome. `expected` holds the buffers before the run. The output is copied into it; any byte
/// that then differs from the outcome was changed outside the output.
fn describe(
    recording: &Recording,
    dispatches: &[Dispatch],
    mut expected: Vec<Memory>,
    outcome: &wgsl_sanitizer::Outcome,
) -> Verdict {
    let program = |source: &Source| recording.dispatches[source.dispatch].program;
    let tell = |source: Option<&Source>, words| Finding { program: source.map(program), words };
    // Adds the line that stored the byte last.
    let stored = |buffer: usize, byte: u64, words: String| match outcome.stored_by(dispatches, buffer, byte) {
        Some(source) => tell(Some(&source), format!("{words}, stored by {source}")),
        None => tell(None, format!("{words}, which nothing stored")),
    };
    let mut findings: Vec<_> =
        outcome.findings.iter().map(|finding| tell(finding.source.as_ref(), finding.to_string())).collect();
    let mut wrong = Vec::new();
    for &Place { buffer, offset, size, input, allowed } in &recording.output {
        let mut bits = [0; 8];
        outcome.buffers[buffer].read(offset, &mut bits[..size]);
        expected[buffer].write(offset, &bits[..size]);
        let bits = u64::from_le_bytes(bits);
        if !allowed.contains(bits) {
            let words = format!("byte {offset:#x}: {input:#x} became {bits:#x}, allowed {allowed:x?}");
            wrong.push((buffer, offset, words));
        }
    }
    // A few wrong elements say as much as all.
    wrong.truncate(3);
    for (n, before) in expected.iter().enumerate().filter(|&(n, _)| !recording.buffers[n].is_scratch) {
        if let Some(byte) = before.first_difference(&outcome.buffers[n]) {
            wrong.push((n, byte, format!("byte {byte:#x} of buffer {n}, outside the output, changed")));
        }
    }
    findings.extend(wrong.into_iter().map(|(buffer, byte, words)| stored(buffer, byte, words)));
    Verdict { device: outcome.device.to_string(), findings }
}
