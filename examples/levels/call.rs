//! One call, timed and compared with the CPU reference.

use std::time::{Duration, Instant};

use wgpu_clamp::{Clamp, Host, Layout, Operands, Tensor, View, reference, verify, wgpu};

use crate::Result;

/// Runs of a call on the GPU. The first one compiles.
const RUNS: usize = 6;

/// A call, and the buffers that it starts from.
pub struct Call<'a> {
    pub clamp: Clamp,
    pub src_layout: Layout,
    pub src: &'a [u8],
    pub dst_layout: Layout,
    /// Whether the destination is the source. Otherwise it is a new buffer, of zeros.
    pub in_place: bool,
}

impl Call<'_> {
    /// Runs on the GPU, or on the CPU reference if there is no GPU. Returns the destination buffer, and whether the
    /// reference agrees.
    pub fn run(&self, host: Option<&Host>) -> Result<(Vec<u8>, bool)> {
        let Self { clamp, src_layout, src, dst_layout, in_place } = self;
        println!("  {clamp}");
        println!("  {src_layout}");
        if src_layout != dst_layout {
            println!("  to {dst_layout}");
        }
        let dtype = clamp.dtype();
        let before = if *in_place { src.to_vec() } else { vec![0; dst_layout.len() * dtype.size()] };
        let Some(host) = host else {
            let mut after = before;
            let start = Instant::now();
            reference::apply(clamp, src_layout, src, dst_layout, &mut after)?;
            println!(
                "  time: {:.1?} on the CPU; not compared: this is the reference itself",
                start.elapsed()
            );
            return Ok((after, true));
        };
        let (mut after, mut times) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            after = self.run_on(host, &mut times)?;
        }
        let best = times.iter().min().expect("it has run");
        println!(
            "  time: {best:.1?} from call to completion, the best of {RUNS}; with compiling: {:.1?}",
            times[0]
        );

        // Whole buffers, so the bytes outside the output are compared as well.
        let (dst_before, dst_after) = (&before[..], &after[..]);
        let buffers = verify::Buffers { src_layout, src, dst_layout, dst_before, dst_after };
        let report = verify::check(clamp, buffers)?;
        println!("  {report}");
        let outside = before.len() - dst_layout.len() * dtype.size();
        if outside > 0 && report.stray.is_none() {
            println!("  the other {outside} bytes of the buffer are as they were");
        }
        Ok((after, report.passed()))
    }

    fn run_on(&self, host: &Host, times: &mut Vec<Duration>) -> Result<Vec<u8>> {
        let elements = self.src.len() / self.clamp.source().size();
        let src = Tensor::upload_bytes(host, self.clamp.source(), &[elements], self.src)?;
        let dst = if self.in_place {
            src.clone()
        } else {
            Tensor::zeros(host, self.clamp.dtype(), &[self.dst_layout.len()])?
        };
        let from = View::new(src.buffer(), src.dtype(), self.src_layout);
        let to = View::new(dst.buffer(), dst.dtype(), self.dst_layout);
        let device = host.clamper().device();
        // Waits for the upload, which would otherwise be part of the time.
        host.queue().submit([]);
        device.poll(wgpu::PollType::wait_indefinitely())?;
        let start = Instant::now();
        host.submit(self.clamp, Operands::new(from, to))?;
        device.poll(wgpu::PollType::wait_indefinitely())?;
        times.push(start.elapsed());
        Ok(dst.read_bytes_blocking()?)
    }
}
