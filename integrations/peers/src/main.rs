//! The speed of wgpu-clamp beside burn with fusion, ndarray with rayon and torch: `cargo xtask bench --peers [MIB]`.
//!
//! burn computes on the same wgpu device. Each library keeps its data where it computes. A sample is the wall time of some
//! whole calls with one wait at the end; libraries take turns, and a figure is the fastest sample, since a busy machine only
//! adds time. The reference allows each result. torch runs in a process of its own, and its results are not compared.
//!
//! A library that merged the calls of a sample would do less than calls in a program do. So each call has an input and an
//! output of its own and is handed to the device by itself, and the program checks itself: it fails unless two calls take
//! at least [`DOUBLED`] times as long as one.

mod rivals;

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use wgpu_clamp::{Clamp, Clamper, Clamps, DType, Host, Layout, Operands, Tensor, View, reference, wgpu};

const ROUNDS: usize = 15;

/// Calls per sample of a figure.
const CALLS: usize = 8;

/// The samples of a round, by their calls. Those of one and two calls show whether each call is computed: merged calls differ
/// most there. They are short, so there are more of them.
const SAMPLES: [usize; 7] = [1, 2, 1, 2, 1, 2, CALLS];

/// Two calls take at least so many times as long as one.
const DOUBLED: f64 = 1.7;

/// The computation that a row compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Clamp,
    ScaleBiasClamp,
    /// RGB bytes to planes of f32, a network's input: a scale and a bias for each plane.
    PicturePlanes,
}

/// This crate's name in the table.
const OURS: &str = "wgpu-clamp";

/// Scale and bias of the second step, exact in f32.
const AFFINE: [f32; 2] = [1.75, -0.25];

/// The bounds of the first two steps.
const BOUNDS: [f32; 2] = [-4.1, 3.9];

/// Scale and bias of each plane, from `ImageNet`'s mean and deviation.
const NORMAL: [[f32; 2]; 3] = [
    [1.0 / (255.0 * 0.229), -0.485 / 0.229],
    [1.0 / (255.0 * 0.224), -0.456 / 0.224],
    [1.0 / (255.0 * 0.225), -0.406 / 0.225],
];

/// The planes' bounds.
const RANGE: [f32; 2] = [-2.0, 2.2];

/// Reads the results of a sample's last call.
type Output = Box<dyn FnOnce() -> Result<Vec<f32>>>;

/// A sample: makes so many calls, at most [`CALLS`], and waits for the results.
type Sample = Box<dyn FnMut(usize) -> Result<Output>>;

fn main() -> Result<()> {
    let mib: usize = std::env::args().nth(1).context("MIB")?.parse().context("MIB")?;
    let bytes = mib << 20;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    // burn writes kernels for all features of the adapter, such as `u64`.
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features().difference(wgpu::Features::all_experimental_mask()),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
    let host = Host::new(&Clamper::new(&device)?, &queue);
    let burn = rivals::burn_device(instance, adapter, device, queue)?;
    println!("{}, {mib} MiB of f32\n", host.description());
    println!("Each call by itself, and its time over ours; two calls, and their time over one's.\n");
    println!("| step | library | ms | over ours | two over one |\n| --- | --- | ---: | ---: | ---: |");
    let mut table = Table::default();
    for step in [Step::Clamp, Step::ScaleBiasClamp, Step::PicturePlanes] {
        let src = source(step, bytes);
        let mut contestants = [
            (OURS, our_calls(&host, step, &src)?),
            ("burn 0.22", rivals::burn(&burn, step, &src)),
            ("ndarray with rayon", rivals::ndarray(step, &src)?),
        ];
        let count = contestants.len();
        let mut fastest = vec![[f64::INFINITY; CALLS + 1]; count];
        for round in 0..ROUNDS {
            for n in (0..count).map(|n| (n + round) % count) {
                let (name, sample) = &mut contestants[n];
                for calls in SAMPLES {
                    // The threads of the one before come to rest.
                    std::thread::sleep(Duration::from_millis(20));
                    let start = Instant::now();
                    let output = sample(calls)?;
                    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
                    fastest[n][calls] = fastest[n][calls].min(milliseconds);
                    if round == 0 && calls == CALLS {
                        compare(step, &src, &output()?).with_context(|| format!("{step:?}, {name}"))?;
                    }
                }
            }
        }
        for ((name, _), fastest) in contestants.iter().zip(fastest) {
            table.row(&format!("{step:?}"), name, [fastest[1], fastest[2], fastest[CALLS]])?;
        }
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/torch_clamp.py");
    let torch = Command::new("python3").args([script, &mib.to_string()]).output().context("python3")?;
    for line in String::from_utf8_lossy(&torch.stdout).lines() {
        let [step, name, one, two, all] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        table.row(step, name, [one.parse()?, two.parse()?, all.parse()?])?;
    }
    if !torch.status.success() {
        let said = String::from_utf8_lossy(&torch.stderr).into_owned();
        println!("\ntorch is not measured: {}", said.lines().next_back().unwrap_or_default());
    }
    table.check()
}

/// The table of results.
#[derive(Default)]
struct Table {
    /// Our milliseconds of a call, for each step.
    ours: Vec<(String, f64)>,
    /// The rows whose calls were merged.
    merged: Vec<String>,
}

impl Table {
    /// Prints a row; ours is the first of each step. The milliseconds are those of one call, two and [`CALLS`].
    fn row(&mut self, step: &str, name: &str, [one, two, all]: [f64; 3]) -> Result<()> {
        let (each, doubled) = (all / f64::from(CALLS as u32), two / one);
        if name == OURS {
            self.ours.push((step.to_owned(), each));
        }
        let ours = self.ours.iter().find(|(known, _)| known == step).context("a row names a step")?.1;
        println!("| {step} | {name} | {each:.3} | {:.2} | {doubled:.2} |", each / ours);
        if doubled < DOUBLED {
            self.merged.push(format!("{step}, {name}: {doubled:.2}"));
        }
        Ok(())
    }

    fn check(self) -> Result<()> {
        let rows = self.merged.join("; ");
        ensure!(
            rows.is_empty(),
            "THESE ROWS ARE WRONG, since two calls took less than {DOUBLED} times as long as one: {rows}. The library merged \
             the calls; or the machine was busy; or the tensor is so small that the wait for the device counts"
        );
        Ok(())
    }
}

/// Floats from -8 to 8, or bytes. All elements of the step together, in and out, are about as many bytes as a copy moves.
fn source(step: Step, bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u16
    };
    if step == Step::PicturePlanes {
        // A pixel has 3 bytes, and 12 as planes.
        return (0..bytes * 2 / 15 / 64 * 64 * 3).map(|_| random() as u8).collect();
    }
    (0..bytes / 4).flat_map(|_| (f32::from(random()) / 4096.0 - 8.0).to_le_bytes()).collect()
}

/// The clamps of a step: one, or one for each plane.
fn clamps(step: Step) -> Result<Vec<Clamp>> {
    let clamp = Clamp::new(BOUNDS[0], BOUNDS[1]);
    let plane = Clamp::new(RANGE[0], RANGE[1]).with_source(DType::U8)?;
    Ok(match step {
        Step::Clamp => vec![clamp],
        Step::ScaleBiasClamp => vec![clamp.with_affine(AFFINE[0], AFFINE[1])?],
        Step::PicturePlanes => NORMAL
            .map(|[scale, bias]| plane.with_affine(scale, bias))
            .into_iter()
            .collect::<Result<_, _>>()?,
    })
}

fn our_calls(host: &Host, step: Step, src: &[u8]) -> Result<Sample> {
    let (host, list) = (host.clone(), clamps(step)?);
    let dtype = list[0].source();
    let elements = src.len() / dtype.size();
    let (from, to) = if step == Step::PicturePlanes {
        let pixels = elements / 3;
        (Layout::strided(&[3, pixels], &[1, 3], 0)?, Layout::packed(&[3, pixels])?)
    } else {
        (Layout::packed(&[elements])?, Layout::packed(&[elements])?)
    };
    let tensors = || {
        let src = Tensor::upload_bytes(&host, dtype, &[elements], src)?;
        Ok((src, Tensor::zeros(&host, DType::F32, &[elements])?))
    };
    let tensors = (0..CALLS).map(|_| tensors()).collect::<Result<Vec<_>>>()?;
    Ok(Box::new(move |calls| {
        for (src, dst) in &tensors[..calls] {
            let clamps = if let [clamp] = &list[..] { clamp.into() } else { Clamps::along(0, &list) };
            let operands =
                Operands::new(View::new(src.buffer(), dtype, from), View::of::<f32>(dst.buffer(), to));
            host.submit(clamps, operands)?;
        }
        host.clamper().device().poll(wgpu::PollType::wait_indefinitely())?;
        let dst = tensors[calls - 1].1.clone();
        Ok(Box::new(move || Ok(dst.read_blocking::<f32>()?)) as Output)
    }))
}

/// Checks that the reference allows the results, at about every hundredth element.
fn compare(step: Step, src: &[u8], results: &[f32]) -> Result<()> {
    let clamps = clamps(step)?;
    let size = clamps[0].source().size();
    ensure!(results.len() == src.len() / size, "there are {} results", results.len());
    let plane = results.len() / clamps.len();
    for (i, result) in results.iter().enumerate().step_by(101) {
        let clamp = &clamps[i / plane];
        let x = if size == 4 {
            bytemuck::pod_read_unaligned::<u32>(&src[4 * i..][..4])
        } else {
            src[3 * (i % plane) + i / plane].into()
        };
        let allowed = reference::allowed(clamp, x.into())?;
        ensure!(allowed.contains(result.to_bits().into()), "element {i}: {x:#x} becomes {result:?}");
    }
    Ok(())
}
