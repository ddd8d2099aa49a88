//! burn and ndarray.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Result, anyhow};
use burn::tensor::wgpu::WgpuSetup;
use burn::tensor::{Device, Int, Tensor, TensorData};
use ndarray::{Array, Array1, Array2, Dimension, Zip};
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
    let compute: Box<dyn Fn(usize) -> Tensor<1>> = if step == Step::PicturePlanes {
        let pixels =
            TensorData::new(src.iter().map(|&byte| byte.into()).collect::<Vec<i32>>(), [src.len() / 3, 3]);
        let pixels: Vec<_> =
            (0..CALLS).map(|_| Tensor::<2, Int>::from_data(pixels.clone(), device)).collect();
        let of_each = |n: usize| {
            let numbers = NORMAL.map(|numbers| numbers[n]).to_vec();
            Tensor::<2>::from_data(TensorData::new(numbers, [3, 1]), device)
        };
        let (scale, bias, len) = (of_each(0), of_each(1), src.len());
        Box::new(move |call| {
            let planes = pixels[call].clone().float().permute([1, 0]);
            (planes * scale.clone() + bias.clone()).clamp(RANGE[0], RANGE[1]).reshape([len])
        })
    } else {
        let floats = TensorData::new(bytemuck::pod_collect_to_vec::<u8, f32>(src), [src.len() / 4]);
        let floats: Vec<_> = (0..CALLS).map(|_| Tensor::<1>::from_data(floats.clone(), device)).collect();
        Box::new(move |call| {
            let x = floats[call].clone();
            let x = if step == Step::ScaleBiasClamp { x * AFFINE[0] + AFFINE[1] } else { x };
            x.clamp(BOUNDS[0], BOUNDS[1])
        })
    };
    let device = device.clone();
    Box::new(move |calls| {
        // All outputs are kept: fusion may leave out work whose output is dropped. It merges all calls between two flushes,
        // also those of different inputs, into one kernel.
        let mut outputs = Vec::new();
        for call in 0..calls {
            outputs.push(compute(call));
            device.flush().map_err(|error| anyhow!("{error:?}"))?;
        }
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
        return Ok(looped(&src, &Array2::from_elem((3, pixels), f32::NAN), |src, dst| {
            for ((mut plane, component), [scale, bias]) in dst.outer_iter_mut().zip(src.columns()).zip(NORMAL)
            {
                let each = Zip::from(&mut plane).and(&component);
                each.par_for_each(|y, x| *y = (f32::from(*x) * scale + bias).clamp(RANGE[0], RANGE[1]));
            }
        }));
    }
    let src: Array1<f32> = bytemuck::pod_collect_to_vec(src).into();
    Ok(looped(&src, &Array1::from_elem(src.len(), f32::NAN), move |src, dst| {
        Zip::from(dst).and(src).par_for_each(|y, &x| {
            let x = if step == Step::ScaleBiasClamp { x * AFFINE[0] + AFFINE[1] } else { x };
            *y = x.clamp(BOUNDS[0], BOUNDS[1]);
        });
    }))
}

/// Calls with copies of `src` and `dst` of their own.
fn looped<T: Clone + 'static, D: Dimension + 'static>(
    src: &Array<T, D>,
    dst: &Array<f32, D>,
    call: impl Fn(&Array<T, D>, &mut Array<f32, D>) + 'static,
) -> Sample {
    let arrays = Rc::new(RefCell::new(vec![(src.clone(), dst.clone()); CALLS]));
    Box::new(move |calls| {
        arrays.borrow_mut()[..calls].iter_mut().for_each(|(src, dst)| call(src, dst));
        let arrays = Rc::clone(&arrays);
        Ok(Box::new(move || Ok(arrays.borrow()[calls - 1].1.iter().copied().collect())) as Output)
    })
}
