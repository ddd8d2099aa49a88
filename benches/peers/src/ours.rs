//! The side of this library, and what all peers share.

use std::rc::Rc;

use anyhow::{Result, ensure};
use clamp_bench::bench::Bench;
use clamp_bench::case::{Case, Set};
use clamp_bench::clock::{Work, seconds};
use clamp_bench::data;
use clamp_bench::row::{Check, Goal, Rival, Row, Trial, Unit};
use wgpu_clamp::{DType, Layout, Operands, View, reference, wgpu};

/// Of the affine step; exact in f32.
pub const SCALE: f32 = 1.75;

/// Of the affine step; exact in f32.
pub const BIAS: f32 = -0.25;

/// The bounds, those of [`data::bounds`].
pub const BOUNDS: [f32; 2] = [-4.1, 3.9];

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The bounds alone.
    Clamp,
    /// Scale and bias before them.
    Affine,
}

/// What a peer takes: the elements, as bytes.
pub type Peer = Box<dyn FnOnce(&Bench, Step, &[f32]) -> Result<(Work, Output)>>;

/// What a peer made, once it has run.
pub type Output = Box<dyn FnOnce(&Bench) -> Result<Vec<f32>>>;

/// A row of ours against a peer's.
pub fn row(name: &str, step: Step, goals: [Goal; 2], wall: bool, peer: Peer) -> Row {
    let what = if step == Step::Clamp { "clamp" } else { "scale, bias, clamp" };
    let name_of_peer = name.to_owned();
    let prepare = Box::new(move |bench: &Bench| trial(bench, step, name_of_peer, wall, peer));
    let name = format!("{what}, against {name}");
    Row { section: "peers", name, dtype: Some(DType::F32), goals, unit: Unit::Seconds, prepare }
}

fn trial(bench: &Bench, step: Step, name: String, wall: bool, peer: Peer) -> Result<Trial> {
    let case = case(bench, step)?;
    let bytes = case.bytes();
    let src: Vec<f32> = bytemuck::pod_collect_to_vec(&data::random(DType::F32, usize::try_from(bytes)?, 42));
    let (work, output) = peer(bench, step, &src)?;
    let set = Rc::new(case.set(&bench.device, if wall { 1 } else { bench.sets(bytes) })?);
    let ours = if wall { whole_calls(bench, case, Rc::clone(&set)) } else { set.work() };
    let check: Check = Box::new(move |bench| {
        case.check(&bench.device, &set)?;
        same(&case, &src, &output(bench)?)
    });
    Ok(Trial { bytes, ours, rivals: vec![Rival { name, work }], check })
}

fn case(bench: &Bench, step: Step) -> Result<Case> {
    let layout = Layout::packed(&[usize::try_from(bench.bytes() / 4)?])?;
    let clamp = data::bounds(DType::F32)?;
    let clamp = match step {
        Step::Clamp => clamp,
        Step::Affine => clamp.with_affine(SCALE, BIAS)?,
    };
    Ok(Case::new(clamp, layout, layout))
}

/// How many calls a sample has, so that waiting for the device is shared.
pub fn calls(bench: &Bench) -> u32 {
    if bench.device.is_cpu() { 1 } else { 8 }
}

/// Lets the threads that a peer keeps come to rest: on a CPU they would share its cores with whoever comes next.
pub fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(50));
}

/// A sample of whole calls: preparing, recording, submitting, waiting, as a peer is timed.
fn whole_calls(bench: &Bench, case: Case, set: Rc<Set>) -> Work {
    let host = bench.device.host.clone();
    let calls = calls(bench);
    let call = move || -> Result<()> {
        let device = host.clamper().device();
        let [src, dst] = &set.buffers[0];
        for _ in 0..calls {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let operands = Operands::new(View::new(src, case.src), View::new(dst, case.dst));
            host.clamper().encode(&mut encoder, &case.clamp, operands)?;
            host.queue().submit([encoder.finish()]);
        }
        device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    };
    Work::Measured(Box::new(move || {
        settle();
        let (time, result) = seconds(&call);
        result.map(|()| time / f64::from(calls))
    }))
}

/// Whether a peer computes the same: what the reference allows, at every hundredth element or so.
fn same(case: &Case, src: &[f32], theirs: &[f32]) -> Result<()> {
    ensure!(src.len() == theirs.len(), "the peer has {} elements of {}", theirs.len(), src.len());
    for (x, got) in src.iter().zip(theirs).step_by(101) {
        let allowed = reference::allowed(&case.clamp, x.to_bits().into());
        ensure!(allowed.contains(got.to_bits().into()), "the peer makes {got:?} of {x:?}");
    }
    Ok(())
}
