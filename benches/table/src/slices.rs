//! Rows of host memory: `clamp_slice`, and what the way there and back alone takes.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use wgpu_clamp::{Clamp, DType, Layout, wgpu};

use crate::bench::Bench;
use crate::clock::{Work, seconds};
use crate::data::{self, Random};
use crate::ring::{Ring, Way};
use crate::row::{Goal, Rival, Row, Trial, Unit};
use crate::verify::{self, Side};

/// All of them.
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
    let poisoned = || Rc::new(RefCell::new(vec![f32::from_bits(0xa5a5_a5a5); src.len()]));
    let (ours, theirs) = (poisoned(), poisoned());
    let clamp = data::bounds(DType::F32)?;

    let host = bench.device.host.clone();
    let (from, to) = (Rc::clone(&src), Rc::clone(&ours));
    let clamped = move || {
        let mut to = to.borrow_mut();
        let (time, result) = seconds(|| host.clamp_slice(&clamp, &from, &mut to).run_blocking());
        result?;
        Ok(time)
    };
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
        ours: Work::Measured(Box::new(clamped)),
        rivals: vec![Rival { name: name.to_owned(), work: Work::Measured(Box::new(moved)) }],
        check: Box::new(move |_| check(&clamp, way, &src, &ours.borrow(), &theirs.borrow())),
    })
}

fn check(clamp: &Clamp, way: Way, src: &[f32], ours: &[f32], theirs: &[f32]) -> Result<()> {
    let expected = if way == Way::Clamped { ours } else { src };
    anyhow::ensure!(
        bytemuck::cast_slice::<_, u8>(expected) == bytemuck::cast_slice::<_, u8>(theirs),
        "what was done by hand differs"
    );
    let layout = Layout::packed(&[src.len()])?;
    // Without gaps, what was there before is not looked at.
    let side = |bytes| Side { layout: &layout, bytes };
    let src = bytemuck::cast_slice(src);
    verify::check(clamp, &side(src), &side(src), bytemuck::cast_slice(ours))
}
