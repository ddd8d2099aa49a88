//! burn and ndarray.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Result, anyhow};
use burn::tensor::wgpu::WgpuSetup;
use burn::tensor::{Device, Int, Tensor, TensorData};
use ndarray::{Array1, Array2, Zip};
use wgpu_clamp::wgpu;

use crate::{AFFINE, BOUNDS, CALLS, NORMAL, Output, RANGE, Sample, Step};

/// The program's device, as a device of burn.
pub fn burn_device(
    instance: wgpu::Instance,
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
) -> Result<Device> {
    let backend = adapter.get_info().backend;
    let setup = WgpuSetup { instance, adapter, device, queue, backend };
    Device::wgpu_options().setup(setup).init().map_err(|error| anyhow!("{error:?}"))
}

/// burn. On wgpu its integers have 32 bits, so it reads four times as many bytes of a picture.
pub fn burn(device: &Device, step: Step, src: &[u8]) -> Sample {
    let compute: Box<dyn Fn() -> Tensor<1>> = if step == Step::PicturePlanes {
        let pixels: Vec<i32> = src.iter().map(|&byte| byte.into()).collect();
        let pixels = Tensor::<2, Int>::from_data(TensorData::new(pixels, [src.len() / 3, 3]), device);
        let of_each = |n: usize| {
            let numbers = NORMAL.map(|numbers| numbers[n]).to_vec();
            Tensor::<2>::from_data(TensorData::new(numbers, [3, 1]), device)
        };
        let (scale, bias, len) = (of_each(0), of_each(1), src.len());
        Box::new(move || {
            let planes = pixels.clone().float().permute([1, 0]);
            (planes * scale.clone() + bias.clone()).clamp(RANGE[0], RANGE[1]).reshape([len])
        })
    } else {
        let floats: Vec<f32> = bytemuck::pod_collect_to_vec(src);
        let len = floats.len();
        let x = Tensor::<1>::from_data(TensorData::new(floats, [len]), device);
        Box::new(move || {
            let x = x.clone();
            let x = if step == Step::ScaleBiasClamp { x * AFFINE[0] + AFFINE[1] } else { x };
            x.clamp(BOUNDS[0], BOUNDS[1])
        })
    };
    let device = device.clone();
    Box::new(move || {
        // All outputs are kept: fusion may leave out work whose output is dropped.
        let mut outputs: Vec<_> = (0..CALLS).map(|_| compute()).collect();
        device.sync().map_err(|error| anyhow!("{error:?}"))?;
        let last = outputs.pop().ok_or_else(|| anyhow!("there is no call"))?;
        let read = move || last.into_data().try_to_vec::<f32>().map_err(|error| anyhow!("{error:?}"));
        Ok(Box::new(read) as Output)
    })
}

/// ndarray, whose data stays in host memory.
pub fn ndarray(step: Step, src: &[u8]) -> Result<Sample> {
    if step == Step::PicturePlanes {
        let pixels = src.len() / 3;
        let src = Array2::from_shape_vec((pixels, 3), src.to_vec())?;
        return Ok(looped(Array2::from_elem((3, pixels), f32::NAN), move |dst| {
            for ((mut plane, component), [scale, bias]) in dst.outer_iter_mut().zip(src.columns()).zip(NORMAL)
            {
                let each = Zip::from(&mut plane).and(&component);
                each.par_for_each(|y, x| *y = (f32::from(*x) * scale + bias).clamp(RANGE[0], RANGE[1]));
            }
        }));
    }
    let src: Array1<f32> = bytemuck::pod_collect_to_vec(src).into();
    Ok(looped(Array1::from_elem(src.len(), f32::NAN), move |dst| {
        Zip::from(dst).and(&src).par_for_each(|y, &x| {
            let x = if step == Step::ScaleBiasClamp { x * AFFINE[0] + AFFINE[1] } else { x };
            *y = x.clamp(BOUNDS[0], BOUNDS[1]);
        });
    }))
}

fn looped<D: ndarray::Dimension + 'static>(
    dst: ndarray::Array<f32, D>,
    call: impl Fn(&mut ndarray::Array<f32, D>) + 'static,
) -> Sample {
    let dst = Rc::new(RefCell::new(dst));
    Box::new(move || {
        (0..CALLS).for_each(|_| call(&mut dst.borrow_mut()));
        let dst = Rc::clone(&dst);
        Ok(Box::new(move || Ok(dst.borrow().iter().copied().collect())) as Output)
    })
}
