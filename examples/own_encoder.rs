//! Clamps inside a program that has its own device, encoder and kernels: `cargo run --example own_encoder`.
//!
//! Two clamps and a kernel of the program run in one compute pass, on buffers of the program, and nothing is
//! read back in between. The signal has two interleaved channels:
//!
//! 1. clamp: readings of a converter (f32) become volts, limited to -1 to 1;
//! 2. own kernel: volts become power (u32), in units of 2⁻²⁰ V²;
//! 3. clamp: the power of the second channel is capped, in place.

use wgpu::util::DeviceExt;
// The same wgpu as the crate's: a program that depends on wgpu itself needs the same major version.
use wgpu_clamp::{Clamp, Clamper, Layout, Operands, View, wgpu};

const FRAMES: u16 = 1000;
const CAP: u32 = 500_000;

const POWER: &str = "
    @group(0) @binding(0) var<storage, read> volts: array<f32>;
    @group(0) @binding(1) var<storage, read_write> power: array<u32>;

    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&volts) {
            // At most 2^20, thanks to the clamp before.
            power[id.x] = u32(volts[id.x] * volts[id.x] * 1048576.0);
        }
    }
";

fn main() {
    if let Err(error) = pollster::block_on(run()) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (device, queue) = open().await?;

    let readings: Vec<u16> = (0..2 * FRAMES).map(|i| i.wrapping_mul(37) % 4096).collect();
    let contents: Vec<f32> = readings.iter().copied().map(f32::from).collect();
    let raw = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("raw"),
        contents: bytemuck::cast_slice(&contents),
        // The only usage that the crate needs.
        usage: wgpu::BufferUsages::STORAGE,
    });
    let buffer = |label, usage| {
        let (size, mapped_at_creation) = (raw.size(), false);
        device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation })
    };
    let volts = buffer("volts", wgpu::BufferUsages::STORAGE);
    let power = buffer("power", wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let readback = buffer("readback", wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ);

    // One clamper for the whole program: it keeps the compiled pipelines.
    let clamper = Clamper::new(&device)?;

    // Everything that can fail or takes long happens here, before recording. A program that works on the same
    // buffers again and again prepares once and records in every frame.
    let samples = Layout::packed(&[FRAMES.into(), 2])?;
    let to_volts = clamper.prepare(
        // A power of two and a small integer: no device can round this, so the default precision is exact.
        Clamp::new(-1.0_f32, 1.0).with_affine(1.0 / 1024.0, -2.0)?,
        Operands::new(View::of::<f32>(&raw, samples), View::of::<f32>(&volts, samples)),
    )?;
    // Every second element. The elements in between belong to the other channel and are left alone.
    let second_channel = View::of::<u32>(&power, samples.slice(1, 1..2)?);
    let cap = clamper.prepare(Clamp::at_most(CAP), Operands::in_place(second_channel))?;
    let (square, square_buffers) = own_kernel(&device, [&volts, &power]);

    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        to_volts.record(&mut pass);
        // `record` has set its own pipeline and bind group 0, so ours are set after it. No barrier is needed:
        // wgpu lets each dispatch of a pass see what earlier dispatches wrote.
        pass.set_pipeline(&square);
        pass.set_bind_group(0, &square_buffers, &[]);
        pass.dispatch_workgroups(u32::from(2 * FRAMES).div_ceil(64), 1, 1);
        cap.record(&mut pass);
    }
    // The only readback. It is in the same encoder, so one submission does everything.
    encoder.copy_buffer_to_buffer(&power, 0, &readback, 0, power.size());
    queue.submit([encoder.finish()]);

    // If mapping fails, `get_mapped_range` below returns an error.
    readback.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let got: Vec<u32> = bytemuck::pod_collect_to_vec(&readback.get_mapped_range(..)?);

    let wrong = |&i: &usize| got[i] != expected_power(i, readings[i]);
    if let Some(i) = (0..got.len()).find(wrong) {
        let expected = expected_power(i, readings[i]);
        return Err(format!("sample {i}: reading {} became {}, not {expected}", readings[i], got[i]).into());
    }
    println!("{} samples as expected, on {}", got.len(), device.adapter_info().name);
    Ok(())
}

/// Opens the program's device. A real program already has one.
async fn open() -> Result<(wgpu::Device, wgpu::Queue), Box<dyn std::error::Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    // The crate needs no feature, and no higher limits than these.
    let required_limits = wgpu::Limits::downlevel_defaults();
    Ok(adapter.request_device(&wgpu::DeviceDescriptor { required_limits, ..Default::default() }).await?)
}

fn own_kernel(
    device: &wgpu::Device,
    [volts, power]: [&wgpu::Buffer; 2],
) -> (wgpu::ComputePipeline, wgpu::BindGroup) {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("power"),
        source: wgpu::ShaderSource::Wgsl(POWER.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("power"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("power"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: volts.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: power.as_entire_binding() },
        ],
    });
    (pipeline, bind_group)
}

/// The three steps for one sample, in integers: volts are counted in units of 1/1024.
fn expected_power(i: usize, reading: u16) -> u32 {
    let volts = (i32::from(reading) - 2048).clamp(-1024, 1024);
    let power = (volts * volts).cast_unsigned();
    if i % 2 == 1 { power.min(CAP) } else { power }
}
