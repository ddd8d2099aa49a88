//! The CPU without a GPU: ndarray with rayon, and an iterator. Their data stays in host memory, ours on the device.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use clamp_bench::bench::Bench;
use clamp_bench::clock::Work;
use clamp_bench::row::Row;
use ndarray::{Array1, Array2, Zip};

use crate::ours::{BIAS, BOUNDS, NORMAL, Output, RANGE, SCALE, Step, row};

/// The rows of the CPU.
pub fn rows(_: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for step in [Step::Clamp, Step::Affine] {
        rows.push(row("ndarray with rayon", step, [None; 2], true, Box::new(with_rayon)));
        rows.push(row("an iterator", step, [None; 2], true, Box::new(with_iterator)));
    }
    rows.push(row("ndarray with rayon", Step::Picture, [None; 2], true, Box::new(picture_with_rayon)));
    Ok(rows)
}

fn element(step: Step, x: f32) -> f32 {
    let x = if step == Step::Affine { x * SCALE + BIAS } else { x };
    x.clamp(BOUNDS[0], BOUNDS[1])
}

/// Work on host memory, timed by the wall clock, and its output.
fn looped<S: 'static, T: 'static>(
    src: S,
    dst: T,
    all: impl Fn(&mut T, &S) + 'static,
    output: impl Fn(&T) -> Vec<f32> + 'static,
) -> (Work, Output) {
    let dst = Rc::new(RefCell::new(dst));
    let result = Rc::clone(&dst);
    let work = Work::timed(move || {
        all(&mut dst.borrow_mut(), &src);
        Ok(())
    });
    (work, Box::new(move |_| Ok(output(&result.borrow()))))
}

fn with_rayon(_: &Bench, step: Step, src: &[u8]) -> Result<(Work, Output)> {
    let src: Array1<f32> = bytemuck::pod_collect_to_vec(src).into();
    let dst = Array1::from_elem(src.len(), f32::NAN);
    let all = move |dst: &mut Array1<f32>, src: &Array1<f32>| {
        Zip::from(dst).and(src).par_for_each(|y, x| *y = element(step, *x));
    };
    Ok(looped(src, dst, all, |dst| dst.to_vec()))
}

fn with_iterator(_: &Bench, step: Step, src: &[u8]) -> Result<(Work, Output)> {
    let src: Vec<f32> = bytemuck::pod_collect_to_vec(src);
    let dst = vec![f32::NAN; src.len()];
    let all = move |dst: &mut Vec<f32>, src: &Vec<f32>| {
        dst.iter_mut().zip(src).for_each(|(y, x)| *y = element(step, *x));
    };
    Ok(looped(src, dst, all, Clone::clone))
}

fn picture_with_rayon(_: &Bench, _: Step, src: &[u8]) -> Result<(Work, Output)> {
    let pixels = src.len() / 3;
    let src = Array2::from_shape_vec((pixels, 3), src.to_vec())?;
    let dst = Array2::from_elem((3, pixels), f32::NAN);
    let all = |dst: &mut Array2<f32>, src: &Array2<u8>| {
        for ((mut plane, component), [scale, bias]) in dst.outer_iter_mut().zip(src.columns()).zip(NORMAL) {
            let each = Zip::from(&mut plane).and(&component);
            each.par_for_each(|y, x| *y = (f32::from(*x) * scale + bias).clamp(RANGE[0], RANGE[1]));
        }
    };
    Ok(looped(src, dst, all, |dst| dst.iter().copied().collect()))
}
