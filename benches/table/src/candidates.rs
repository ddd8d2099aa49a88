//! The kernels that could take each row, timed in turns or predicted, beside the costs by which plans choose: for the
//! tuning of the weights in `src/kernel/cost.rs`.

use anyhow::Result;
use serde::Serialize;
use wgpu_clamp::{BoundBuffer, Limits, Plan, Recording, wgpu};

use crate::bench::Bench;
use crate::case::Case;
use crate::clock::Work;
use crate::device::Device;
use crate::kernels;
use crate::model::{self, in_parallel};
use crate::options::Options;
use crate::stats::{Stats, rank_correlation};

/// A kernel that could take a row.
#[derive(Debug, Serialize)]
struct Entry {
    plan: String,
    /// Microseconds by the cost and by the clock or the model.
    cost: f64,
    time: f64,
}

/// A row and its candidates, in the order of their costs: the plan takes the first.
#[derive(Debug, Serialize)]
struct Choice {
    row: String,
    entries: Vec<Entry>,
}

impl Choice {
    /// The time of the plan's choice as a multiple of the best candidate's.
    fn loss(&self) -> f64 {
        let best = self.entries.iter().map(|entry| entry.time).fold(f64::INFINITY, f64::min);
        self.entries.first().map_or(1.0, |first| first.time / best)
    }

    fn text(&self) -> String {
        let lines = self.entries.iter().map(|Entry { plan, cost, time }| {
            let plan = plan.rsplit_once("windows: ").map_or(&plan[..], |(_, kernels)| kernels);
            format!("| {cost:.1} | {time:.1} | {plan} |\n")
        });
        format!(
            "\n{}: {:.2} of the best\n\n| cost µs | time µs | windows, kernels |\n| ---: | ---: | --- |\n{}",
            self.row,
            self.loss(),
            lines.collect::<String>()
        )
    }
}

/// Times or predicts all candidates of the requested rows, and prints them.
pub fn run(options: &Options) -> Result<()> {
    let choices = if options.model { predicted(options)? } else { measured(options)? };
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&choices)?)?;
    }
    println!("\n{}", summary(&choices));
    Ok(())
}

/// The last line.
fn summary(choices: &[Choice]) -> String {
    let of = |number: fn(&Entry) -> f64| -> Vec<f64> {
        choices.iter().filter_map(|choice| choice.entries.first()).map(number).collect()
    };
    let rank = rank_correlation(&of(|entry| entry.cost), &of(|entry| entry.time));
    let above = |loss: f64| choices.iter().filter(|choice| choice.loss() > loss).count();
    let worst = choices.iter().max_by(|a, b| a.loss().total_cmp(&b.loss()));
    let worst = worst.map_or_else(String::new, |one| format!(", worst {:.2}: {}", one.loss(), one.row));
    format!(
        "candidates: {} rows, rank correlation of cost and time {rank:.3}, choice above 1.1 of the best: {}, above 1.3: {}{worst}",
        choices.len(),
        above(1.1),
        above(1.3)
    )
}

/// The large rows, in two buffers and with numbers of the host.
fn cases(options: &Options) -> Result<Vec<Case>> {
    let mut cases = model::large(options)?;
    cases.retain(|case| !case.in_place && case.slots.is_none());
    Ok(cases)
}

/// The plans with their costs in microseconds.
fn candidates(case: &Case, limits: Limits) -> Result<Vec<(f64, Plan)>> {
    Ok(Plan::candidates(case.asked(), &case.src, &case.dst, limits)?)
}

/// Predicts the times on a GPU.
fn predicted(options: &Options) -> Result<Vec<Choice>> {
    let predict = |case: &Case| -> Result<Choice> {
        let entry = |(cost, plan): (f64, Plan)| {
            let recording = plan.record(case.asked(), [None; 4])?;
            Ok(Entry { plan: plan.to_string(), cost, time: model::time(case, &recording)? })
        };
        let entries = candidates(case, model::limits())?.into_iter().map(entry).collect::<Result<_>>()?;
        Ok(Choice { row: case.title(), entries })
    };
    let choices = in_parallel(&cases(options)?, predict)?;
    for choice in &choices {
        println!("{}", choice.text());
    }
    Ok(choices)
}

/// Times the candidates on a device.
fn measured(options: &Options) -> Result<Vec<Choice>> {
    let bench = Bench::open(options.clone())?;
    let options = Options { size: Some(bench.bytes()), ..options.clone() };
    let limits = bench.device.host.clamper().limits();
    let measure = |case: &Case| {
        let candidates = candidates(case, limits)?;
        let record = |(_, plan): &(f64, Plan)| {
            Ok(work(&bench.device, case.sizes()?, &plan.record(case.asked(), [None; 4])?))
        };
        let works = candidates.iter().map(record).collect::<Result<_>>()?;
        let (_, stats) = bench.take_turns(works)?;
        let entry = |((cost, plan), time): ((f64, Plan), Stats)| Entry {
            plan: plan.to_string(),
            cost,
            time: 1e6 * time.median,
        };
        Ok(Choice { row: case.title(), entries: candidates.into_iter().zip(stats).map(entry).collect() })
    };
    bench.each(&cases(&options)?, Case::title, measure, Choice::text)
}

/// The dispatches of a recording in two buffers of `sizes` bytes, as work.
fn work(device: &Device, sizes: [usize; 2], recording: &Recording) -> Work {
    let wgpu = device.wgpu();
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let buffer = |size: usize| {
        let size = size.next_multiple_of(16) as u64;
        wgpu.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    let operands = sizes.map(buffer);
    let own = |bytes: &Vec<u8>| {
        let buffer = buffer(bytes.len());
        device.queue().write_buffer(&buffer, 0, bytes);
        buffer
    };
    let own: Vec<_> = recording.buffers.iter().map(own).collect();
    let dispatch = |one: &wgpu_clamp::Dispatch| {
        let program = &recording.shaders[one.shader];
        let entries = one.bindings.iter().map(|bound| wgpu::BindGroupLayoutEntry {
            binding: bound.binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            // The uniform block, src, dst, and a table in storage.
            ty: wgpu::BindingType::Buffer {
                ty: match bound.binding {
                    0 => wgpu::BufferBindingType::Uniform,
                    binding => wgpu::BufferBindingType::Storage { read_only: binding != 2 },
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        });
        let entries: Vec<_> = entries.collect();
        let layout = wgpu
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = wgpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = kernels::pipeline(
            device,
            &program.wgsl,
            Some(program.entry_point),
            Some(&pipeline_layout),
            &program.constants,
        );
        let part = |at: &wgpu_clamp::Binding| {
            let buffer = match at.buffer {
                BoundBuffer::Own(n) => &own[n],
                BoundBuffer::Dst => &operands[1],
                _ => &operands[0],
            };
            (at.binding, kernels::part(buffer, at.offset, at.size))
        };
        let group = kernels::bind(wgpu, &layout, one.bindings.iter().map(part));
        kernels::dispatch(&pipeline, group, one.grid)
    };
    let all: Vec<_> = recording.dispatches.iter().map(dispatch).collect();
    Work::Pass(vec![Box::new(move |pass| all.iter().for_each(|one| one(pass)))])
}
