//! The kernels that could take each row, timed in turns or predicted: how good the rules of `src/kernel/choose.rs` are.

use anyhow::Result;
use serde::Serialize;
use wgpu_clamp::{DType, Limits, Plan};

use crate::bench::Bench;
use crate::case::Case;
use crate::clock::Work;
use crate::data::random_buffer;
use crate::kernels::Kernels;
use crate::model::{self, in_parallel};
use crate::options::Options;

/// A kernel that could take a row.
#[derive(Debug, Serialize)]
struct Entry {
    plan: String,
    /// Microseconds by the clock or the model.
    time: f64,
}

/// A row and its candidates, in the order of the rules: the plan takes the first.
#[derive(Debug, Serialize)]
struct Choice {
    row: String,
    entries: Vec<Entry>,
}

impl Choice {
    /// The candidates of a case, with their times in microseconds.
    fn of(case: &Case, limits: Limits, times: impl FnOnce(Vec<Kernels>) -> Result<Vec<f64>>) -> Result<Self> {
        let candidates = Plan::candidates(case.asked(), &case.src, &case.dst, limits)?;
        let kernels = |plan: &Plan| Ok(plan.recording(case.asked(), [None; 4])?.into());
        let times = times(candidates.iter().map(kernels).collect::<Result<_>>()?)?;
        let entry = |(plan, time): (Plan, f64)| Entry { plan: plan.to_string(), time };
        Ok(Self { row: case.title(), entries: candidates.into_iter().zip(times).map(entry).collect() })
    }

    /// The time of the plan's choice as a multiple of the best candidate's.
    fn loss(&self) -> f64 {
        let best = self.entries.iter().map(|entry| entry.time).fold(f64::INFINITY, f64::min);
        self.entries.first().map_or(1.0, |first| first.time / best)
    }

    fn print(&self) {
        println!("\n{}: {:.2} of the best\n", self.row, self.loss());
        println!("| time µs | windows, kernels |\n| ---: | --- |");
        for Entry { plan, time } in &self.entries {
            let plan = plan.rsplit_once("windows: ").map_or(&plan[..], |(_, kernels)| kernels);
            println!("| {time:.1} | {plan} |");
        }
    }
}

/// Times or predicts all candidates of the requested rows, and prints them.
pub fn run(options: &Options) -> Result<()> {
    let choices = if options.model { predicted(options)? } else { measured(options)? };
    options.write(&choices)?;
    println!("\n{}", summary(&choices));
    Ok(())
}

/// The last line.
fn summary(choices: &[Choice]) -> String {
    let mut losses: Vec<_> = choices.iter().map(Choice::loss).collect();
    losses.sort_by(f64::total_cmp);
    let median = losses.get(losses.len() / 2).copied().unwrap_or(1.0);
    let above = |loss: f64| choices.iter().filter(|choice| choice.loss() > loss).count();
    let worst = choices.iter().max_by(|a, b| a.loss().total_cmp(&b.loss()));
    let worst = worst.map_or_else(String::new, |one| format!(", worst {:.2}: {}", one.loss(), one.row));
    format!(
        "candidates: {} rows, choice over the best: median {median:.2}, above 1.1: {}, above 1.3: {}{worst}",
        choices.len(),
        above(1.1),
        above(1.3)
    )
}

/// The large rows, in two buffers and with numbers of the host.
fn cases(options: &Options, bytes: u64) -> Result<Vec<Case>> {
    let mut cases = model::large(options, bytes)?;
    cases.retain(|case| !case.in_place && case.slots.is_none());
    Ok(cases)
}

/// Predicts the times on a GPU.
fn predicted(options: &Options) -> Result<Vec<Choice>> {
    let predict = |case: &Case| {
        let times = |kernels: Vec<Kernels>| kernels.iter().map(|one| model::time(case, one)).collect();
        Choice::of(case, model::limits(), times)
    };
    let choices = in_parallel(&cases(options, options.bytes().unwrap_or(model::BYTES))?, predict)?;
    choices.iter().for_each(Choice::print);
    Ok(choices)
}

/// Times the candidates on a device.
fn measured(options: &Options) -> Result<Vec<Choice>> {
    let bench = Bench::open(options.clone())?;
    let device = &bench.device;
    let measure = |case: &Case| {
        let [src, dst] = case.sizes()?;
        let src = random_buffer(device, case.clamp().source(), src)?;
        let pair = [src, random_buffer(device, DType::U64, dst)?];
        let work = |one: &Kernels| Work::Pass(one.dispatches(device, std::slice::from_ref(&pair)));
        let times = |kernels: Vec<Kernels>| {
            let (_, stats) = bench.take_turns(kernels.iter().map(work).collect())?;
            Ok(stats.iter().map(|stats| 1e6 * stats.median).collect())
        };
        Choice::of(case, device.host.clamper().limits(), times).inspect(Choice::print)
    };
    cases(options, bench.bytes())?.iter().map(measure).collect()
}
