//! The speed of wgpu-clamp beside burn with fusion, ndarray with rayon and torch: `cargo xtask bench --peers [MIB]`.
//!
//! burn computes on the same wgpu device. Each library keeps its data where it computes. A sample is the wall time of some
//! whole calls with one wait at the end; libraries take turns, and a figure is the median. The reference allows each
//! result. torch runs in a process of its own, and its results are not compared.

mod rivals;

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use wgpu_clamp::{Clamp, Clamper, Clamps, DType, Host, Layout, Operands, Tensor, View, reference, wgpu};

const ROUNDS: usize = 11;

/// Calls per sample.
const CALLS: u32 = 8;

/// The computation that a row compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Clamp,
    ScaleBiasClamp,
    /// RGB bytes to planes of f32, a network's input: a scale and a bias for each plane.
    PicturePlanes,
}

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

/// A sample: makes [`CALLS`] calls and waits for the results.
type Sample = Box<dyn FnMut() -> Result<Output>>;

fn main() -> Result<()> {
    let mib: usize = std::env::args().nth(1).map_or(Ok(256), |mib| mib.parse().context("MIB"))?;
    let bytes = mib << 20;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
    let host = Host::new(&Clamper::new(&device)?, &queue);
    let burn = rivals::burn_device(instance, adapter, device, queue)?;
    println!("{}, {mib} MiB of f32\n", host.adapter());
    println!("| step | library | its ms | our ms | ratio |\n| --- | --- | ---: | ---: | ---: |");
    let mut ours = Vec::new();
    for step in [Step::Clamp, Step::ScaleBiasClamp, Step::PicturePlanes] {
        let src = source(step, bytes);
        let mut contestants = [
            ("ours", our_calls(&host, step, &src)?),
            ("burn 0.22", rivals::burn(&burn, step, &src)),
            ("ndarray with rayon", rivals::ndarray(step, &src)?),
        ];
        let count = contestants.len();
        let mut samples = vec![Vec::new(); count];
        for round in 0..ROUNDS {
            for n in (0..count).map(|n| (n + round) % count) {
                let (name, sample) = &mut contestants[n];
                // The threads of the one before come to rest.
                std::thread::sleep(Duration::from_millis(50));
                let start = Instant::now();
                let output = sample()?;
                samples[n].push(start.elapsed());
                if round == 0 {
                    compare(step, &src, &output()?).with_context(|| format!("{step:?}, {name}"))?;
                }
            }
        }
        let mine = median(&mut samples[0]);
        for ((name, _), samples) in contestants.iter().zip(&mut samples).skip(1) {
            print_row(&format!("{step:?}"), name, median(samples), mine);
        }
        ours.push((format!("{step:?}"), mine));
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/torch_clamp.py");
    let torch = Command::new("python3").args([script, &mib.to_string()]).output().context("python3")?;
    for line in String::from_utf8_lossy(&torch.stdout).lines() {
        let [step, name, ms] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        let (step, mine) = ours.iter().find(|(known, _)| known == step).context("torch names a step")?;
        print_row(step, name, ms.parse()?, *mine);
    }
    if !torch.status.success() {
        let said = String::from_utf8_lossy(&torch.stderr).into_owned();
        println!("\ntorch is not measured: {}", said.lines().next_back().unwrap_or_default());
    }
    Ok(())
}

fn print_row(step: &str, name: &str, theirs: f64, ours: f64) {
    println!("| {step} | {name} | {theirs:.3} | {ours:.3} | {:.2} |", theirs / ours);
}

/// The milliseconds of a call.
fn median(samples: &mut [Duration]) -> f64 {
    samples.sort();
    samples[samples.len() / 2].as_secs_f64() * 1e3 / f64::from(CALLS)
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
    let src = Tensor::upload_bytes(&host, dtype, &[elements], src)?;
    let dst = Tensor::zeros(&host, DType::F32, &[elements])?;
    Ok(Box::new(move || {
        for _ in 0..CALLS {
            let clamps = if let [clamp] = &list[..] { clamp.into() } else { Clamps::along(0, &list) };
            let operands =
                Operands::new(View::new(src.buffer(), dtype, from), View::of::<f32>(dst.buffer(), to));
            host.submit(clamps, operands)?;
        }
        host.clamper().device().poll(wgpu::PollType::wait_indefinitely())?;
        let dst = dst.clone();
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
