//! Clamps a Zarr array into another, chunk by chunk, on the GPU: `clamp-zarr --help`.
//!
//! The array may be larger than memory. Each process takes a part of the chunks, on one machine or on many. Any process
//! may be killed and run again.

mod args;
mod channels;
mod operator;
mod output;
mod part;
mod types;
mod values;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use args::Options;
use channels::Channels;
use clap::Parser as _;
use indicatif::HumanBytes;
use output::Output;
use wgpu_clamp::Host;
use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            // Help goes to stdout.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let started = Instant::now();
    if options.channels.is_none() {
        options.operator.refuse_nothing()?;
        options.operator.refuse_nonsense()?;
    }
    let name = options.input.display();
    let store = FilesystemStore::new(&options.input).map_err(|error| format!("IN: {name}: {error}"))?;
    let input = Array::open(Arc::new(store), "/").map_err(|error| {
        format!("IN: {name}: {error}; it is to be the directory of an array, not of a group or a file")
    })?;
    // The output has version 3, whatever the input's version.
    let input = input.to_v3().map_err(|error| format!("IN: {name}: {error}"))?;
    let source = types::dtype(input.data_type())?;
    let channels = Channels::new(options, source, input.shape())?;
    // Opened before anything is written.
    let host = match options.gpu {
        Some(n) => Host::open_nth_blocking(n),
        None => Host::open_blocking(),
    }?;
    let output = Output::create(&options.output, &input, &channels, options.part)?;
    let part = part::Part::new(&input, &channels, &output, options)?;
    println!("{name}: {source} {:?}; {part}", input.shape());
    println!(
        "on {}; at most {} for chunks and {} for the device",
        host.adapter(),
        HumanBytes(part.memory()),
        HumanBytes(part.device_memory())
    );
    let done = part.run(&host)?;
    println!("{}: {done} in {:.1?}", options.output.display(), started.elapsed());
    // Never dropped: a driver that is unloaded here may leave an exit handler registered whose code is gone.
    std::mem::forget(host);
    Ok(())
}
