//! burn on the same wgpu device, with and without fusion.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

use anyhow::{Result, anyhow};
use burn_backend::ops::{FloatTensorOps, IntTensorOps};
use burn_backend::quantization::{QuantScheme, QuantValue, QuantizationParametersPrimitive};
use burn_backend::tensor::{FloatTensor, IntTensor, QuantizedTensor};
use burn_backend::{Backend, FloatDType, Scalar, TensorData};
use burn_fusion::Fusion;
use burn_wgpu::{CubeBackend, RuntimeOptions, WgpuDevice, WgpuSetup, init_device};
use clamp_bench::bench::Bench;
use clamp_bench::clock::Work;
use clamp_bench::row::Row;

use crate::ours::{BIAS, BOUNDS, LEVELS, NORMAL, Output, RANGE, SCALE, Step, calls, row, settled};

/// The rows of burn.
pub fn rows(_: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (step, goals) in [
        (Step::Clamp, [Some(1.5), Some(2.0)]),
        (Step::Affine, [Some(3.0), Some(4.0)]),
        (Step::Picture, [None; 2]),
    ] {
        rows.push(row("burn 0.22", step, goals, true, Box::new(peer::<CubeBackend>)));
        rows.push(row("burn 0.22 with fusion", step, goals, true, Box::new(peer::<Fusion<CubeBackend>>)));
    }
    let goals = [Some(1.0); 2];
    rows.push(row("burn 0.22", Step::Quantize, goals, true, Box::new(quantized::<CubeBackend>)));
    Ok(rows)
}

/// The measured device, as a device of burn.
fn device(bench: &Bench) -> WgpuDevice {
    static DEVICE: OnceLock<WgpuDevice> = OnceLock::new();
    let setup = || WgpuSetup {
        instance: bench.device.instance.clone(),
        adapter: bench.device.adapter.clone(),
        device: bench.device.wgpu().clone(),
        queue: bench.device.queue().clone(),
        backend: bench.device.info.backend,
    };
    DEVICE.get_or_init(|| init_device(setup(), RuntimeOptions::default())).clone()
}

fn peer<B>(bench: &Bench, step: Step, src: &[u8]) -> Result<(Work, Output)>
where
    B: Backend<Device: From<WgpuDevice>> + FloatTensorOps<B> + IntTensorOps<B>,
    FloatTensor<B>: Clone + 'static,
    IntTensor<B>: Clone + 'static,
{
    let device: B::Device = device(bench).into();
    let compute: Box<dyn Fn() -> FloatTensor<B>> = if step == Step::Picture {
        picture::<B>(src, &device)
    } else {
        let src: Vec<f32> = bytemuck::pod_collect_to_vec(src);
        let len = src.len();
        let tensor = B::float_from_data(TensorData::new(src, [len]), &device);
        Box::new(move || compute::<B>(step, tensor.clone()))
    };
    let (work, last) = timed::<B, _>(bench, device, compute);
    let output: Output = Box::new(move |_| floats::<B>(last()?));
    Ok((work, output))
}

/// Returns the tensor that was computed last.
type Last<T> = Box<dyn FnOnce() -> Result<T>>;

/// Work that calls `compute` and waits for the results.
fn timed<B: Backend, T: 'static>(
    bench: &Bench,
    device: B::Device,
    compute: Box<dyn Fn() -> T>,
) -> (Work, Last<T>) {
    let last = Rc::new(RefCell::new(None));
    let (kept, calls) = (Rc::clone(&last), calls(bench));
    let call = move || -> Result<()> {
        // Outputs are kept until the end: fusion may leave out work whose output is dropped.
        let outputs: Vec<_> = (0..calls).map(|_| compute()).collect();
        B::sync(&device).map_err(|error| anyhow!("{error:?}"))?;
        *kept.borrow_mut() = outputs.into_iter().next_back();
        Ok(())
    };
    (
        settled(calls, call),
        Box::new(move || last.borrow_mut().take().ok_or_else(|| anyhow!("burn has not run"))),
    )
}

fn floats<B: Backend>(tensor: FloatTensor<B>) -> Result<Vec<f32>> {
    let data = pollster::block_on(B::float_into_data(tensor)).map_err(|error| anyhow!("{error:?}"))?;
    data.try_to_vec::<f32>().map_err(|error| anyhow!("{error:?}"))
}

/// burn's own quantisation, by a scale that lies on the device.
fn quantized<B>(bench: &Bench, _: Step, src: &[u8]) -> Result<(Work, Output)>
where
    B: Backend<Device: From<WgpuDevice>>,
    FloatTensor<B>: Clone + 'static,
    QuantizedTensor<B>: 'static,
{
    let device: B::Device = device(bench).into();
    let src: Vec<f32> = bytemuck::pod_collect_to_vec(src);
    let len = src.len();
    let tensor = B::float_from_data(TensorData::new(src, [len]), &device);
    let scale = B::float_from_data(TensorData::new(vec![1.0 / LEVELS], [1]), &device);
    let scheme = QuantScheme::default().with_value(QuantValue::Q8S);
    let compute = move || {
        let scales = QuantizationParametersPrimitive { scales: scale.clone(), global: None };
        B::quantize(tensor.clone(), &scheme, scales)
    };
    let (work, last) = timed::<B, _>(bench, device, Box::new(compute));
    let output: Output = Box::new(move |_| {
        let numbers = floats::<B>(B::dequantize(last()?, FloatDType::F32))?;
        Ok(numbers.into_iter().map(|number| number * LEVELS).collect())
    });
    Ok((work, output))
}

fn compute<B: FloatTensorOps<B> + Backend>(step: Step, x: FloatTensor<B>) -> FloatTensor<B> {
    let scalar = |value: f32| Scalar::Float(value.into());
    let x = match step {
        Step::Clamp | Step::Picture | Step::Quantize => x,
        Step::Affine => B::float_add_scalar(B::float_mul_scalar(x, scalar(SCALE)), scalar(BIAS)),
    };
    B::float_clamp(x, scalar(BOUNDS[0]), scalar(BOUNDS[1]))
}

/// [`Step::Picture`] as burn's documentation composes it. On wgpu, burn's integers have 32 bits, so it reads four times
/// as many bytes.
fn picture<B>(src: &[u8], device: &B::Device) -> Box<dyn Fn() -> FloatTensor<B>>
where
    B: Backend + FloatTensorOps<B> + IntTensorOps<B>,
    FloatTensor<B>: Clone + 'static,
    IntTensor<B>: Clone + 'static,
{
    let pixels: Vec<i32> = src.iter().map(|&byte| byte.into()).collect();
    let pixels = B::int_from_data(TensorData::new(pixels, [src.len() / 3, 3]), device);
    let of_each = |n: usize| {
        let numbers = NORMAL.map(|numbers| numbers[n]).to_vec();
        B::float_from_data(TensorData::new(numbers, [3, 1]), device)
    };
    let (scale, bias) = (of_each(0), of_each(1));
    let bound = |n: usize| Scalar::Float(RANGE[n].into());
    Box::new(move || {
        let planes = B::float_permute(B::int_into_float(pixels.clone(), FloatDType::F32), &[1, 0]);
        let stepped = B::float_add(B::float_mul(planes, scale.clone()), bias.clone());
        B::float_clamp(stepped, bound(0), bound(1))
    })
}
