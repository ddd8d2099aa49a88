//! One clamp for the array, or one for each index of an axis.

use std::fs;

use clap::Parser as _;
use wgpu_clamp::{Clamp, Clamps, DType, reference};

use crate::Result;
use crate::args::Options;
use crate::operator::Operator;

/// The clamps of the array.
pub struct Channels {
    /// The axis of the channels. `None` for one clamp.
    pub axis: Option<usize>,
    pub list: Vec<Clamp>,
}

impl Channels {
    /// Reads the clamps for elements of `source`.
    pub fn new(options: &Options, source: DType, shape: &[u64]) -> Result<Self> {
        let Some(file) = &options.channels else {
            return Ok(Self { axis: None, list: vec![options.operator.clamp(source)?] });
        };
        let rank = shape.len();
        let axis = options.axis.unwrap_or(rank.saturating_sub(1));
        let extent = *shape.get(axis).ok_or_else(|| {
            format!("--axis: {axis} is none of the {rank} dimensions {shape:?}, counted from 0")
        })?;
        let name = file.display();
        let text = fs::read_to_string(file).map_err(|error| format!("--channels: {name}: {error}"))?;
        let lines = (1..).zip(text.lines()).map(|(n, line)| {
            channel(options, line, source).map_err(|error| format!("--channels: {name}, line {n}: {error}"))
        });
        let list = lines.collect::<std::result::Result<Vec<_>, _>>()?;
        let lines = list.len();
        if lines as u64 != extent {
            let indices = format!("axis {axis} has {extent} indices");
            return Err(format!("--channels: {name} has {lines} lines; {indices}").into());
        }
        let channels = Self { axis: Some(axis), list };
        // Channels must agree in some properties; the reference checks this, on a tensor of one element per channel.
        let one = wgpu_clamp::Layout::packed(&[channels.list.len()])?;
        let source_bytes = vec![0; one.required_bytes(source) as usize];
        let mut bytes = vec![0; one.required_bytes(channels.dtype(source)) as usize];
        reference::apply(Clamps::along(0, &channels.list), &one, &source_bytes, &one, &mut bytes)?;
        Ok(channels)
    }

    /// The dtype of the output.
    pub fn dtype(&self, source: DType) -> DType {
        self.list.first().map_or(source, Clamp::dtype)
    }

    /// The clamps of a chunk whose channels begin at `first`. The last chunk may extend beyond the axis. Any clamp will
    /// do there, because nobody reads those elements.
    pub fn of_chunk(&self, first: u64, count: usize) -> Vec<Clamp> {
        let last = self.list.len() - 1;
        let first = usize::try_from(first).unwrap_or(usize::MAX).min(last);
        (first..).take(count).map(|n| self.list[n.min(last)]).collect()
    }

    /// The result of an element, if all channels have the same one.
    pub fn of_all(&self, element: u64) -> Option<u64> {
        let mut results = self.list.iter().map(|clamp| reference::element(clamp, element).ok());
        let first = results.next()?;
        if results.all(|result| result == first) { first } else { None }
    }
}

/// A line of the file: the options that it adds or replaces.
#[derive(clap::Parser)]
#[command(no_binary_name = true)]
struct Line {
    #[command(flatten)]
    operator: Operator,
}

fn channel(options: &Options, text: &str, source: DType) -> Result<Clamp> {
    let mut line = Line { operator: options.operator.clone() };
    line.try_update_from(text.split_whitespace())?;
    // `refuse_nothing` is not called: a channel may stay as it is.
    line.operator.refuse_nonsense()?;
    line.operator.clamp(source)
}
