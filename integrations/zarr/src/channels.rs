//! One clamp for the array, or one for each index of an axis.

use std::fs;

use wgpu_clamp::{Clamp, Clamps, DType, reference};

use crate::Result;
use crate::args::Options;

/// The clamps of the array.
pub struct Channels {
    /// `None` for one clamp alone.
    axis: Option<usize>,
    list: Vec<Clamp>,
}

impl Channels {
    /// Reads them for elements of `source`.
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
        let mut list = Vec::new();
        for (n, line) in (1..).zip(text.lines()) {
            let clamp = channel(options, line, source)
                .map_err(|error| format!("--channels: {name}, line {n}: {error}"))?;
            list.push(clamp);
        }
        if list.len() as u64 != extent {
            let lines = list.len();
            return Err(
                format!("--channels: {name} has {lines} lines; axis {axis} has {extent} indices").into()
            );
        }
        let channels = Self { axis: Some(axis), list };
        // Whether they agree in what channels have in common: asked of the reference, with the smallest tensor.
        let one = wgpu_clamp::Layout::packed(&[channels.list.len()])?;
        let source_bytes = vec![0; one.required_bytes(source) as usize];
        let mut bytes = vec![0; one.required_bytes(channels.dtype(source)) as usize];
        reference::apply(Clamps::along(0, &channels.list), &one, &source_bytes, &one, &mut bytes)?;
        Ok(channels)
    }

    /// Of the output.
    pub fn dtype(&self, source: DType) -> DType {
        self.list.first().map_or(source, Clamp::dtype)
    }

    pub const fn axis(&self) -> Option<usize> {
        self.axis
    }

    pub fn as_slice(&self) -> &[Clamp] {
        &self.list
    }

    /// The clamps of a chunk whose channels begin at `first`. Chunks at the end of an axis go beyond it, where nobody reads.
    pub fn of_chunk(&self, first: u64, count: usize) -> Vec<Clamp> {
        let first = usize::try_from(first).unwrap_or(usize::MAX).min(self.list.len() - 1);
        let last = self.list.last().copied();
        self.list[first..]
            .iter()
            .copied()
            .chain(std::iter::repeat_n(last, count).flatten())
            .take(count)
            .collect()
    }

    /// What all channels make of an element, if it is the same.
    pub fn of_all(&self, element: u64) -> Option<u64> {
        let mut results = self.list.iter().map(|clamp| reference::element(clamp, element));
        let first = results.next()?;
        results.all(|result| result == first).then_some(first)
    }
}

fn channel(options: &Options, line: &str, source: DType) -> Result<Clamp> {
    let mut operator = options.operator.clone();
    let mut parser = lexopt::Parser::from_args(line.split_whitespace());
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Long(name) => {
                let name = name.to_owned();
                if !operator.take(&name, &mut parser)? {
                    return Err(lexopt::Arg::Long(&name).unexpected().into());
                }
            }
            _ => return Err(arg.unexpected().into()),
        }
    }
    // A channel may be left as it is.
    operator.refuse_nonsense()?;
    operator.clamp(source)
}
