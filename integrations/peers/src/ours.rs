//! This library's work, and the rows, numbers and checks that all peers share.

use std::rc::Rc;

use anyhow::{Result, ensure};
use clamp_bench::bench::Bench;
use clamp_bench::case::{Case, Set};
use clamp_bench::clock::{Work, seconds};
use clamp_bench::data;
use clamp_bench::row::{Goals, Rival, Row, Trial};
use wgpu_clamp::{Clamp, DType, Layout, Rounding, reference, wgpu};

/// The scale of the affine step; exact in f32.
pub const SCALE: f32 = 1.75;

/// The bias of the affine step; exact in f32.
pub const BIAS: f32 = -0.25;

/// The bounds, as in [`data::bounds`].
pub const BOUNDS: [f32; 2] = [-4.1, 3.9];

/// The computation that a row compares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The bounds alone.
    Clamp,
    /// Scale and bias, then the bounds.
    Affine,
    /// RGB bytes to planes of f32, a network's input. Each plane has a scale and a bias; all have the bounds [`RANGE`].
    Picture,
    /// f32 to 8 bits, with one scale, which lies on the GPU.
    Quantize,
}

/// The scale of [`Step::Quantize`]; exact in f32, as is its reciprocal.
pub const LEVELS: f32 = 32.0;

/// Scale and bias of each component of [`Step::Picture`], from `ImageNet`'s mean and deviation.
pub const NORMAL: [[f32; 2]; 3] = [
    [1.0 / (255.0 * 0.229), -0.485 / 0.229],
    [1.0 / (255.0 * 0.224), -0.456 / 0.224],
    [1.0 / (255.0 * 0.225), -0.406 / 0.225],
];

/// The bounds of [`Step::Picture`].
pub const RANGE: [f32; 2] = [-2.0, 2.2];

/// Prepares a peer's work on the source's bytes, which are f32 elements or pixels.
pub type Peer = Box<dyn Fn(&Bench, Step, &[u8]) -> Result<(Work, Output)>>;

/// Reads a peer's results after it has run.
pub type Output = Box<dyn FnOnce(&Bench) -> Result<Vec<f32>>>;

/// A row that compares our work with a peer's.
pub fn row(name: &str, step: Step, goals: Goals, wall: bool, peer: Peer) -> Row {
    let what = match step {
        Step::Clamp => "clamp",
        Step::Affine => "scale, bias, clamp",
        Step::Picture => "RGB U8 to F32 planes, scale, bias, clamp",
        Step::Quantize => "F32 to I8, a scale on the GPU",
    };
    let peer_name = name.to_owned();
    let name = format!("{what}, against {name}");
    let prepare = Box::new(move |bench: &Bench| trial(bench, step, &peer_name, wall, &peer));
    Row { section: "peers".to_owned(), name, dtypes: "f32".to_owned(), goals, case: None, prepare }
}

fn trial(bench: &Bench, step: Step, name: &str, wall: bool, peer: &Peer) -> Result<Trial> {
    let case = case(bench, step)?;
    let bytes = case.bytes();
    // The same bytes as the case's own source.
    let dtype = case.clamp().source();
    let src = data::random(dtype, usize::try_from(case.src.required_bytes(dtype))?);
    let (work, output) = peer(bench, step, &src)?;
    let set = Rc::new(case.set(&bench.device, if wall { 1 } else { bench.sets(bytes) })?);
    let ours = if wall { whole_calls(bench, &case, Rc::clone(&set)) } else { set.work() };
    let check = Box::new(move |bench: &Bench| {
        case.check(&bench.device, set.dst())?;
        same(&case, &src, &output(bench)?)
    });
    Ok(Trial { bytes, ours, rivals: vec![Rival { name: name.to_owned(), work }], plain: None, check })
}

fn case(bench: &Bench, step: Step) -> Result<Case> {
    let bytes = usize::try_from(bench.bytes())?;
    let layout = Layout::packed(&[bytes / 4])?;
    let clamp = data::bounds(DType::F32);
    let case = |clamp, layouts| Case::new("peers", "", clamp, layouts);
    Ok(match step {
        Step::Clamp => case(clamp, [layout; 2]),
        Step::Affine => case(clamp.with_affine(SCALE, BIAS)?, [layout; 2]),
        Step::Quantize => {
            let clamp =
                Clamp::new(-127_i8, 127).with_source(DType::F32)?.with_rounding(Rounding::NearestEven);
            case(clamp.with_affine(LEVELS, 0.0)?, [layout; 2]).on_gpu()?
        }
        Step::Picture => {
            // A pixel reads 3 bytes and writes 12. All together move as many bytes as a copy of `bytes` bytes.
            let pixels = bytes * 2 / 15 / 64 * 64;
            let clamp = Clamp::new(RANGE[0], RANGE[1]).with_source(DType::U8)?;
            let layouts = [Layout::strided(&[3, pixels], &[1, 3], 0)?, Layout::packed(&[3, pixels])?];
            let channel = |n: usize| Ok(clamp.with_affine(NORMAL[n][0], NORMAL[n][1])?);
            case(channel(0)?, layouts).along(0, channel)?
        }
    })
}

/// Calls per sample. They share the wait for the device.
pub fn calls(bench: &Bench) -> u32 {
    if bench.device.is_cpu() { 1 } else { 8 }
}

/// Work of `calls` calls, timed by the wall clock. A pause comes first, so that the previous work's threads come to
/// rest: on a CPU they would take cores from this work.
pub fn settled(calls: u32, call: impl Fn() -> Result<()> + 'static) -> Work {
    Work::Measured(Box::new(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let (time, result) = seconds(&call);
        result.map(|()| time / f64::from(calls))
    }))
}

/// Work of whole calls, as for a peer: preparing, recording, submitting and waiting.
fn whole_calls(bench: &Bench, case: &Case, set: Rc<Set>) -> Work {
    let (host, case) = (bench.device.host.clone(), case.clone());
    let calls = calls(bench);
    let call = move || -> Result<()> {
        let device = host.clamper().device();
        for _ in 0..calls {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            host.clamper().encode(&mut encoder, case.asked(), case.operands(&set, 0)?)?;
            host.queue().submit([encoder.finish()]);
        }
        device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    };
    settled(calls, call)
}

/// Checks that the reference allows a peer's results, at about every hundredth element.
fn same(case: &Case, src: &[u8], theirs: &[f32]) -> Result<()> {
    let len = case.dst.len();
    ensure!(len == theirs.len(), "the peer has {} elements of {len}", theirs.len());
    for (i, got) in theirs.iter().enumerate().step_by(101) {
        let (clamp, x) = match case.axis {
            None => (case.clamp(), bytemuck::pod_read_unaligned::<u32>(&src[4 * i..][..4])),
            Some(_) => {
                let (channel, pixel) = (i / (len / 3), i % (len / 3));
                (&case.clamps[channel], src[3 * pixel + channel].into())
            }
        };
        let allowed = reference::allowed(clamp, x.into())?;
        let bits = match clamp.dtype() {
            DType::I8 => (*got as i8).cast_unsigned().into(),
            _ => got.to_bits().into(),
        };
        ensure!(allowed.contains(bits), "the peer makes {got:?} of {x:#x}, element {i}");
    }
    Ok(())
}
