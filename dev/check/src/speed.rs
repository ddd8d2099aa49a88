//! The speed of a few clamps beside that of a copy kernel.

use web_time::Instant;
use wgpu_clamp::{Clamp, Clamps, DType, Error, Host, Layout, Operands, Prepared, Tensor, View, wgpu};

use crate::report::{FIGURES, Figure, Speed};

/// The copy that clamps are measured against, 16 bytes per invocation. On some GPUs `copy_buffer_to_buffer` reaches a
/// fifth of its speed.
const COPY: &str = "
@group(0) @binding(0) var<storage, read> src: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4u>;
@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) at: vec3u) {
    dst[at.x] = src[at.x];
}";

/// The bytes that the copy reads, and that it writes.
const BYTES: u32 = 64 << 20;

/// A sample takes as long as these seconds, about: browsers round timestamps to a tenth of a millisecond, and a submission
/// takes some tenths.
const SAMPLE: f64 = 0.03;

/// Copies for as many seconds raise a GPU's clock.
const WARM_UP: f64 = 0.3;

/// Samples of each kernel. The median counts.
const SAMPLES: usize = 7;

/// Rows of the matrix that has a scale per row.
const ROWS: u16 = 4096;

/// Measures a copy and the clamps, in turns, so that other load on the machine slows both.
pub async fn measure(host: &Host) -> Result<Speed, Error> {
    let clock = Clock::new(host)?;
    let copy = Copy::new(host)?;
    let started = Instant::now();
    let mut repeats = 1;
    while started.elapsed().as_secs_f64() < WARM_UP {
        let time = clock.time(repeats, |pass| copy.record(pass)).await?;
        if time * f64::from(repeats) < SAMPLE && repeats < 1024 {
            repeats *= 2;
        }
    }
    let (mut copied, mut clamps) = (Vec::new(), Vec::new());
    for (name, work) in FIGURES.into_iter().zip(works()?) {
        let work = Dispatched::new(host, &work)?;
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..=SAMPLES {
            let both = [
                clock.time(repeats, |pass| copy.record(pass)).await?,
                clock.time(repeats, |pass| work.prepared.record(pass)).await?,
            ];
            // The first dispatch of a clamp includes its compilation on some drivers.
            if round > 0 {
                times.iter_mut().zip(both).for_each(|(times, time)| times.push(time));
            }
        }
        let [copy, clamp] = times.map(median);
        copied.push(copy);
        let (rate, copy_rate) = (work.bytes / clamp / 1e9, 2.0 * f64::from(BYTES) / copy / 1e9);
        clamps.push(Figure { name: name.to_owned(), rate, ratio: rate / copy_rate });
    }
    let copy = 2.0 * f64::from(BYTES) / median(copied) / 1e9;
    Ok(Speed { clock: clock.name().to_owned(), bytes: 2 * u64::from(BYTES), copy, clamps })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A clamp to be measured: one for all elements, or one per row.
struct Work {
    clamps: Vec<Clamp>,
    src: Layout,
    dst: Layout,
}

/// The clamps in the order of [`FIGURES`].
fn works() -> Result<[Work; 5], Error> {
    let flat = |clamp: Clamp| {
        let layout = Layout::packed(&[BYTES as usize / clamp.dtype().size()])?;
        Ok::<_, Error>(Work { clamps: vec![clamp], src: layout, dst: layout })
    };
    let half = |value| half::f16::from_f32(value);
    let to_float = Clamp::unbounded(DType::F32).with_source(DType::U8)?.with_affine(1.0 / 255.0, 0.0)?;
    let side = ((BYTES / 8) as usize).isqrt();
    let planes = Layout::packed(&[3, side, side])?;
    let pixels = Layout::packed(&[side, side, 3])?.permute(&[2, 0, 1])?;
    let to_byte = Clamp::unbounded(DType::I8).with_source(DType::F32)?;
    let by_row = |row| to_byte.with_affine(20.0 + f32::from(row) / 100.0, 0.0);
    let scales = (0..ROWS).map(by_row).collect::<Result<Vec<_>, Error>>()?;
    // Rows of whole packets.
    let columns = (2 * BYTES / 5 / u32::from(ROWS)) as usize / 16 * 16;
    let matrix = Layout::packed(&[ROWS.into(), columns])?;
    Ok([
        flat(Clamp::new(0.0_f32, 6.0))?,
        flat(Clamp::new(half(0.0), half(6.0)))?,
        flat(Clamp::new(16_u8, 235))?,
        Work { clamps: vec![to_float], src: pixels, dst: planes },
        Work { clamps: scales, src: matrix, dst: matrix },
    ])
}

/// A clamp with tensors of its own, which it frees.
struct Dispatched {
    prepared: Prepared,
    /// Bytes read and written.
    bytes: f64,
    tensors: [Tensor; 2],
}

impl Dispatched {
    #[expect(clippy::cast_precision_loss, reason = "some 10^8 bytes")]
    fn new(host: &Host, Work { clamps, src, dst }: &Work) -> Result<Self, Error> {
        let [from, to] = [clamps[0].source(), clamps[0].dtype()];
        let tensors = [Tensor::zeros(host, from, &[src.len()])?, Tensor::zeros(host, to, &[dst.len()])?];
        let [a, b] = &tensors;
        let operands = Operands::new(View::new(a.buffer(), from, *src), View::new(b.buffer(), to, *dst));
        let channels = if let [clamp] = &clamps[..] { clamp.into() } else { Clamps::along(0, clamps) };
        let prepared = host.clamper().prepare(channels, operands)?;
        let bytes = (src.len() * from.size() + dst.len() * to.size()) as f64;
        Ok(Self { prepared, bytes, tensors })
    }
}

impl Drop for Dispatched {
    fn drop(&mut self) {
        self.tensors.iter().for_each(|tensor| tensor.buffer().destroy());
    }
}

/// The copy kernel with its buffers.
struct Copy {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

impl Copy {
    fn new(host: &Host) -> Result<Self, Error> {
        let device = host.clamper().device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(COPY.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let [src, dst] = [(); 2].map(|()| Tensor::zeros(host, DType::U8, &[BYTES as usize]));
        let (src, dst) = (src?, dst?);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: src.buffer().as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: dst.buffer().as_entire_binding() },
            ],
        });
        Ok(Self { pipeline, group })
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(BYTES / 16 / 256, 1, 1);
    }
}

/// Times passes by the device's timestamps if it has them. A CPU's come from whichever thread writes them, so wall time counts
/// there.
struct Clock {
    host: Host,
    queries: Option<(wgpu::QuerySet, wgpu::Buffer)>,
    /// Two timestamps; reading them waits for the device.
    read: Tensor,
}

impl Clock {
    fn new(host: &Host) -> Result<Self, Error> {
        let device = host.clamper().device();
        let is_cpu = device.adapter_info().device_type == wgpu::DeviceType::Cpu;
        let has_timestamps = !is_cpu && device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let queries = has_timestamps.then(|| {
            let set = wgpu::QuerySetDescriptor { label: None, ty: wgpu::QueryType::Timestamp, count: 2 };
            let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
            let resolved = wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
            (device.create_query_set(&set), device.create_buffer(&resolved))
        });
        Ok(Self { host: host.clone(), queries, read: Tensor::zeros(host, DType::U64, &[2])? })
    }

    const fn name(&self) -> &'static str {
        if self.queries.is_some() { "timestamps" } else { "wall time" }
    }

    /// Seconds for each of `repeats` dispatches in one pass.
    #[expect(clippy::cast_precision_loss, reason = "less than a second")]
    async fn time(&self, repeats: u32, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Result<f64, Error> {
        let mut encoder =
            self.host.clamper().device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let timestamp_writes = self.queries.as_ref().map(|(set, _)| wgpu::ComputePassTimestampWrites {
            query_set: set,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        });
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
        (0..repeats).for_each(|_| record(&mut pass));
        drop(pass);
        if let Some((set, resolved)) = &self.queries {
            encoder.resolve_query_set(set, 0..2, resolved, 0);
            encoder.copy_buffer_to_buffer(resolved, 0, self.read.buffer(), 0, 16);
        }
        let commands = encoder.finish();
        let started = Instant::now();
        self.host.queue().submit([commands]);
        let ticks = self.read.read::<u64>().await?;
        let wall = started.elapsed().as_secs_f64();
        let period = f64::from(self.host.queue().get_timestamp_period()) * 1e-9;
        let all =
            if self.queries.is_some() { ticks[1].saturating_sub(ticks[0]) as f64 * period } else { wall };
        // A device that reports no time between two timestamps gives no ratio; a nanosecond shows that.
        Ok(all.max(1e-9) / f64::from(repeats))
    }
}
