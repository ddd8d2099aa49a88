//! Rows for host memory: `clamp_slice` and the transfers alone.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Result, ensure};
use wgpu_clamp::verify::Buffers;
use wgpu_clamp::{Clamp, DType, Element, Layout, wgpu};

use crate::bench::Bench;
use crate::clock::Work;
use crate::data::{self, POISON};
use crate::ring::{Ring, Way};
use crate::row::Goal::{Report, Time};
use crate::row::{Check, Rival, Row, Trial};
use crate::verify;

/// All rows of this file.
pub fn rows(bench: &Bench) -> Vec<Row> {
    let mut rows = vec![
        ("against staging buffers up and back", Way::Staging, [Time(1.05), Time(1.10)]),
        ("the same with a clamp by hand between", Way::Clamped, [Report; 2]),
    ];
    if bench.device.wgpu().features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
        rows.push(("against mapped buffers", Way::Mapped, [Report; 2]));
    }
    let row = |(rival, way, goals)| {
        let name = format!("`clamp_slice`, {rival}");
        Row::new("host memory", name, DType::F32, goals, move |bench| Ok(trial(bench, way)))
    };
    rows.into_iter().map(row).collect()
}

fn trial(bench: &Bench, way: Way) -> Trial {
    let bytes: u64 = if bench.options.quick { 128 << 20 } else { 1 << 30 };
    let src: Rc<Vec<f32>> = Rc::new(bytemuck::pod_collect_to_vec(&data::random(DType::F32, bytes as usize)));
    let (ours, theirs) = (poisoned(src.len()), poisoned::<f32>(src.len()));
    let clamp = data::bounds(DType::F32);
    let mut ring = Ring::new(&bench.device, way);
    let (from, to) = (Rc::clone(&src), Rc::clone(&theirs));
    let work = Work::timed(move || {
        ring.run(bytemuck::cast_slice(&from), bytemuck::cast_slice_mut(&mut to.borrow_mut()))
    });
    let name = if way == Way::Clamped { "by hand" } else { "by hand, no clamp" };
    let ours_work = clamped(bench, &clamp, &src, &ours);
    let check: Check = Box::new(move |_| {
        let (ours, theirs) = (ours.borrow(), theirs.borrow());
        let bytes = |elements| bytemuck::cast_slice::<f32, u8>(elements);
        let expected = if way == Way::Clamped { &*ours } else { &*src };
        ensure!(bytes(expected) == bytes(&theirs), "the result by hand differs");
        check(&clamp, &src, &ours)
    });
    Trial { bytes, ours: ours_work, rivals: vec![Rival { name: name.to_owned(), work }], check }
}

/// `clamp_slice` of `src` to `dst`.
fn clamped<T: Element>(bench: &Bench, clamp: &Clamp, src: &Rc<Vec<T>>, dst: &Rc<RefCell<Vec<T>>>) -> Work {
    let (host, clamp, src, dst) = (bench.device.host.clone(), *clamp, Rc::clone(src), Rc::clone(dst));
    Work::timed(move || Ok(host.clamp_slice(&clamp, &src, &mut dst.borrow_mut()).run_blocking()?))
}

/// A destination of poison bytes, so that unwritten elements are noticed.
fn poisoned<T: Element>(len: usize) -> Rc<RefCell<Vec<T>>> {
    Rc::new(RefCell::new(bytemuck::pod_collect_to_vec(&vec![POISON; len * size_of::<T>()])))
}

fn check<T: Element>(clamp: &Clamp, src: &[T], dst: &[T]) -> Result<()> {
    let layout = &Layout::packed(&[src.len()])?;
    let src = bytemuck::cast_slice(src);
    // A packed destination has no gaps, so its previous bytes are not compared.
    let (src_layout, dst_layout, dst_before) = (layout, layout, src);
    let dst_after = bytemuck::cast_slice(dst);
    verify::check(clamp, Buffers { src_layout, src, dst_layout, dst_before, dst_after })
}
