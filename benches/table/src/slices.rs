//! Rows and curves for host memory: `clamp_slice`, the transfers alone, and a loop on the CPU.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use half::f16;
use wgpu_clamp::{Clamp, DType, Element, Layout, wgpu};

use crate::bench::Bench;
use crate::clock::{Work, seconds};
use crate::data::{self, Random};
use crate::growth::{Curve, Point};
use crate::ring::{Ring, Way};
use crate::row::{Goal, Rival, Row, Trial, Unit};
use crate::verify::{self, Side};

/// All rows of this file.
#[must_use]
pub fn rows(bench: &Bench) -> Vec<Row> {
    let mut rows =
        vec![row("against staging buffers up and back", Way::Staging, [1.05, 1.10].map(Goal::Time))];
    rows.push(row("the same with a clamp by hand between", Way::Clamped, [Goal::Report; 2]));
    if bench.device.wgpu().features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
        rows.push(row("against mapped buffers", Way::Mapped, [Goal::Report; 2]));
    }
    rows
}

fn row(rival: &'static str, way: Way, goals: [Goal; 2]) -> Row {
    Row {
        section: "host memory",
        name: format!("`clamp_slice`, {rival}"),
        dtype: Some(DType::F32),
        goals,
        unit: Unit::Seconds,
        case: None,
        prepare: Box::new(move |bench| trial(bench, way)),
    }
}

fn trial(bench: &Bench, way: Way) -> Result<Trial> {
    let bytes: u64 = if bench.options.quick { 128 << 20 } else { 1 << 30 };
    let mut random = Random(11);
    let src: Rc<Vec<f32>> = Rc::new((0..bytes / 4).map(|_| random.number() as f32).collect());
    let (ours, theirs) = (poisoned(src.len()), poisoned(src.len()));
    let clamp = data::bounds(DType::F32)?;
    let mut ring = Ring::new(&bench.device, way)?;
    let (from, to) = (Rc::clone(&src), Rc::clone(&theirs));
    let moved = move || {
        let mut to = to.borrow_mut();
        let to = bytemuck::cast_slice_mut(&mut to);
        let (time, result) = seconds(|| ring.run(bytemuck::cast_slice(&from), to));
        result?;
        Ok(time)
    };
    let name = if way == Way::Clamped { "by hand" } else { "by hand, no clamp" };
    Ok(Trial {
        bytes,
        ours: clamped(bench, &clamp, &src, &ours),
        rivals: vec![Rival { name: name.to_owned(), work: Work::Measured(Box::new(moved)) }],
        check: Box::new(move |_| {
            let (ours, theirs) = (ours.borrow(), theirs.borrow());
            let bytes = |elements| bytemuck::cast_slice::<f32, u8>(elements);
            let expected = if way == Way::Clamped { &*ours } else { &*src };
            anyhow::ensure!(bytes(expected) == bytes(&theirs), "what was done by hand differs");
            check(&clamp, &src, &ours)
        }),
    })
}

/// `clamp_slice` and a single-threaded loop over the same slices, from 4 KiB to 256 MiB. One clamp costs the CPU next
/// to nothing; the other one converts f16.
///
/// # Errors
///
/// The device is lost.
pub fn curves(bench: &Bench) -> Result<Vec<Curve>> {
    let clamp = data::bounds(DType::F32)?;
    let bare =
        curve(bench, "a clamp of f32 in host memory", "bytes of f32", &clamp, |x: f32| x.clamp(-4.1, 3.9))?;
    let affine = data::bounds(DType::F16)?.with_affine(0.75, 0.5)?;
    let [min, max] = [-4.1, 3.9].map(f16::from_f64);
    let converted = move |x: f16| f16::from_f32(x.to_f32() * 0.75 + 0.5).clamp(min, max);
    let name = "scale, bias and clamp of f16 in host memory";
    Ok(vec![bare, curve(bench, name, "bytes of f16", &affine, converted)?])
}

fn curve<T: Element>(
    bench: &Bench,
    name: &'static str,
    over: &'static str,
    clamp: &Clamp,
    element: impl Fn(T) -> T + Copy + 'static,
) -> Result<Curve> {
    let powers = if bench.options.quick { 0..7 } else { 0..9 };
    let points: Result<_> = powers.map(|power| point(bench, 4096 << (2 * power), clamp, element)).collect();
    let series = ["`clamp_slice`", "a loop"].map(str::to_owned).to_vec();
    Ok(Curve { name: name.to_owned(), over: over.to_owned(), series, points: points? })
}

fn point<T: Element>(
    bench: &Bench,
    bytes: usize,
    clamp: &Clamp,
    element: impl Fn(T) -> T + 'static,
) -> Result<Point> {
    let src: Rc<Vec<T>> = Rc::new(bytemuck::pod_collect_to_vec(&data::random(clamp.dtype(), bytes, 11)));
    let ours = poisoned(src.len());
    let (from, to) = (Rc::clone(&src), poisoned(src.len()));
    let a_loop = move || {
        let mut to = to.borrow_mut();
        Ok(seconds(|| to.iter_mut().zip(&*from).for_each(|(y, x)| *y = element(*x))).0)
    };
    let mut works = [clamped(bench, clamp, &src, &ours), Work::Measured(Box::new(a_loop))];
    let seconds = bench.take_turns(&mut works.iter_mut().collect::<Vec<_>>())?;
    let error = check(clamp, &src, &ours.borrow()).err().map(|error| format!("{error:#}"));
    Ok(Point { at: bytes as u64, seconds, error })
}

/// `clamp_slice` of `src` to `dst`.
fn clamped<T: Element>(bench: &Bench, clamp: &Clamp, src: &Rc<Vec<T>>, dst: &Rc<RefCell<Vec<T>>>) -> Work {
    let (host, clamp, src, dst) = (bench.device.host.clone(), *clamp, Rc::clone(src), Rc::clone(dst));
    Work::Measured(Box::new(move || {
        let mut dst = dst.borrow_mut();
        let (time, result) = seconds(|| host.clamp_slice(&clamp, &src, &mut dst).run_blocking());
        result?;
        Ok(time)
    }))
}

/// A destination of poison bytes, so that unwritten elements are noticed.
fn poisoned<T: Element>(len: usize) -> Rc<RefCell<Vec<T>>> {
    Rc::new(RefCell::new(bytemuck::pod_collect_to_vec(&vec![0xa5_u8; len * size_of::<T>()])))
}

fn check<T: Element>(clamp: &Clamp, src: &[T], dst: &[T]) -> Result<()> {
    let layout = Layout::packed(&[src.len()])?;
    let src = bytemuck::cast_slice(src);
    // A packed destination has no gaps, so its previous bytes are not compared.
    let side = || Side { layout: &layout, bytes: src };
    verify::check(clamp, &side(), &side(), bytemuck::cast_slice(dst))
}
