//! A quantised linear layer, all of it on the GPU: `cargo run --release --example quantize`. The same code runs in a
//! browser, as one of the tests of `cargo xtask test --browser`.
//!
//! Activations `[tokens, features]` come in F32, weights `[outputs, features]` lie on the GPU in I8, with a scale for each
//! output. One submission does the following, and nothing is read back in between:
//!
//! 1. own kernel: the greatest magnitude of each token, and with it two scales for each token;
//! 2. clamp: activations to I8, each row by the scale that the kernel has found;
//! 3. own kernel: the product of both, I32 `[tokens, outputs]`;
//! 4. clamp: requantised to I8, each column by a scale that lies on the GPU, for a next layer in I8;
//! 5. clamp: or dequantised to F32, each column by the scale of its weights, and then, in place, each row by the scale of
//!    its activations: a call has one axis, so these are two.
//!
//! Each clamp is compared with the CPU reference, bit for bit, and the layer with one in F32.

use std::fmt;

use wgpu_clamp::{
    Clamp, Clamps, DType, Error, Host, Layout, Number, Operands, Precision, Prepared, Rounding, Tensor, View,
    reference, verify, wgpu,
};

const TOKENS: usize = 256;
const FEATURES: usize = 256;
const OUTPUTS: usize = 512;

/// What I8 stands for after requantisation, in units of the scale of a row.
const OUTPUT_RANGE: f32 = 135.0;

/// Two scales for each token: from F32 to I8, and back.
const FIND_SCALES: &str = "
    @group(0) @binding(0) var<storage, read> activations: array<f32>;
    @group(0) @binding(1) var<storage, read_write> scales: array<vec2<f32>>;

    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let tokens = arrayLength(&scales);
        let features = arrayLength(&activations) / tokens;
        if id.x < tokens {
            // More than 0, so that a row of zeros has scales, too.
            var greatest = 1e-30;
            for (var i = 0u; i < features; i++) {
                greatest = max(greatest, abs(activations[id.x * features + i]));
            }
            scales[id.x] = vec2<f32>(127.0 / greatest, greatest / 127.0);
        }
    }
";

/// The product of two matrices of I8, four elements to a word. Short, not fast.
const MULTIPLY: &str = "
    @group(0) @binding(0) var<storage, read> activations: array<u32>;
    @group(0) @binding(1) var<storage, read> weights: array<u32>;
    @group(0) @binding(2) var<storage, read_write> products: array<i32>;

    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let outputs = OUTPUTS;
        let words = arrayLength(&weights) / outputs;
        if id.x < arrayLength(&products) {
            var sum = 0;
            for (var i = 0u; i < words; i++) {
                let a = bitcast<i32>(activations[id.x / outputs * words + i]);
                let b = bitcast<i32>(weights[id.x % outputs * words + i]);
                for (var byte = 0u; byte < 32u; byte += 8u) {
                    sum += extractBits(a, byte, 8u) * extractBits(b, byte, 8u);
                }
            }
            products[id.x] = sum;
        }
    }
";

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    let run = || -> Result<bool, Error> {
        let host = Host::open_blocking()?;
        println!("on {}", host.adapter());
        let layer = Layer::new(&host)?;
        let report = pollster::block_on(layer.run(&host))?;
        println!("{report}");
        println!("{}", layer.cost(&host));
        Ok(report.passed())
    };
    match run() {
        Ok(true) => std::process::ExitCode::SUCCESS,
        Ok(false) => std::process::ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// The layer, its tensors and what is recorded.
pub struct Layer {
    /// As they come, and what the layer would be without 8 bits.
    activations: Vec<f32>,
    weights: Vec<f32>,
    /// What each column is multiplied by, to I8 and to F32.
    to_i8: Vec<f32>,
    to_f32: Vec<f32>,
    tensors: Tensors,
    steps: Steps,
}

struct Tensors {
    activations: Tensor,
    scales: Tensor,
    activations_i8: Tensor,
    products: Tensor,
    requantized: Tensor,
    dequantized: Tensor,
    weights_i8: Vec<i8>,
}

struct Steps {
    find_scales: Kernel,
    quantize: Prepared,
    multiply: Kernel,
    requantize: Prepared,
    dequantize_columns: Prepared,
    dequantize_rows: Prepared,
}

impl Layer {
    /// With random activations and weights.
    ///
    /// # Errors
    ///
    /// The device has no memory, or is lost.
    pub fn new(host: &Host) -> Result<Self, Error> {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from((state >> 16) as u16) / 32_768.0 - 1.0
        };
        // Tokens differ in magnitude, which is why each has a scale.
        let activations: Vec<f32> =
            (0..TOKENS * FEATURES).map(|n| random() * [1.0, 2.0, 0.3, 5.0, 0.01][n / FEATURES % 5]).collect();
        let weights: Vec<f32> = (0..OUTPUTS * FEATURES).map(|_| 0.05 * random()).collect();

        // The program quantises its weights once, before it runs: symmetrically, each output by its greatest weight.
        let greatest = |row: &[f32]| row.iter().fold(1e-30_f32, |most, x| most.max(x.abs()));
        let to_f32: Vec<f32> = weights.chunks(FEATURES).map(|row| greatest(row) / 127.0).collect();
        let rows = weights.chunks(FEATURES).zip(&to_f32);
        let weights_i8: Vec<i8> =
            rows.flat_map(|(row, scale)| row.iter().map(move |x| (x / scale).round() as i8)).collect();
        // A program finds on real data how far outputs reach, in units of a row's scale. Here a few reach farther.
        let to_i8: Vec<f32> = to_f32.iter().map(|scale| scale * 127.0 / OUTPUT_RANGE).collect();

        let zeros = |dtype, shape: &[usize]| Tensor::zeros(host, dtype, shape);
        let tensors = Tensors {
            activations: Tensor::upload(host, &[TOKENS, FEATURES], &activations)?,
            scales: zeros(DType::F32, &[TOKENS, 2])?,
            activations_i8: zeros(DType::I8, &[TOKENS, FEATURES])?,
            products: zeros(DType::I32, &[TOKENS, OUTPUTS])?,
            requantized: zeros(DType::I8, &[TOKENS, OUTPUTS])?,
            dequantized: zeros(DType::F32, &[TOKENS, OUTPUTS])?,
            weights_i8,
        };
        let steps = Steps::new(host, &tensors, &to_i8, &to_f32)?;
        Ok(Self { activations, weights, to_i8, to_f32, tensors, steps })
    }

    /// Runs the layer in one submission, reads everything back, and compares.
    ///
    /// # Errors
    ///
    /// The device has no memory, or is lost.
    pub async fn run(&self, host: &Host) -> Result<Report, Error> {
        let device = host.clamper().device();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let Steps { find_scales, quantize, multiply, requantize, dequantize_columns, dequantize_rows } =
                &self.steps;
            find_scales.record(&mut pass);
            quantize.record(&mut pass);
            multiply.record(&mut pass);
            requantize.record(&mut pass);
            dequantize_columns.record(&mut pass);
            dequantize_rows.record(&mut pass);
        }
        host.queue().submit([encoder.finish()]);

        let Tensors { scales, activations_i8, products, requantized, dequantized, .. } = &self.tensors;
        let scales: Vec<f32> = scales.read().await?;
        let (to_quantize, back): (Vec<f32>, Vec<f32>) = scales.chunks(2).map(|two| (two[0], two[1])).unzip();
        let inner = Layout::packed(&[TOKENS, FEATURES])?;
        let outer = Layout::packed(&[TOKENS, OUTPUTS])?;

        let activations = bytes_of(&self.activations);
        let got_i8 = activations_i8.read_bytes().await?;
        let of_rows = with_scales(quantize()?, &to_quantize)?;
        let quantized = compare(Clamps::along(0, &of_rows), &inner, &activations, &got_i8)?;

        let got_products = products.read_bytes().await?;
        let expected: Vec<i32> = self.products(&got_i8);
        let multiplied = got_products == expected.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();

        let got_requantized = requantized.read_bytes().await?;
        let of_columns = with_scales(requantize()?, &self.to_i8)?;
        let requantized = compare(Clamps::along(1, &of_columns), &outer, &got_products, &got_requantized)?;

        // In place the first result is gone: what it was, the reference knows, since the step is exact.
        let of_columns = with_scales(dequantize_columns()?, &self.to_f32)?;
        let mut between = vec![0; got_products.len()];
        let columns = Clamps::along(1, &of_columns);
        reference::apply(columns, &outer, &got_products, &outer, &mut between)?;
        let got_f32: Vec<f32> = dequantized.read().await?;
        let of_rows = with_scales(dequantize_rows(), &back)?;
        let dequantized = compare(Clamps::along(0, &of_rows), &outer, &between, &bytes_of(&got_f32))?;

        let exact = self.in_f32();
        let from_i8 = got_requantized.iter().enumerate().map(|(n, &byte)| {
            let column = n % OUTPUTS;
            f32::from(byte as i8) * self.to_f32[column] / self.to_i8[column] * back[n / OUTPUTS]
        });
        Ok(Report {
            quantized,
            multiplied,
            requantized,
            dequantized,
            error_f32: error(&exact, got_f32.iter().copied()),
            error_i8: error(&exact, from_i8),
        })
    }

    /// The product of what the activations have become and the weights.
    fn products(&self, activations: &[u8]) -> Vec<i32> {
        let row = |token: usize| &activations[token * FEATURES..][..FEATURES];
        let column = |output: usize| &self.tensors.weights_i8[output * FEATURES..][..FEATURES];
        let of = |n: usize| {
            let pairs = row(n / OUTPUTS).iter().zip(column(n % OUTPUTS));
            pairs.map(|(&a, &b)| i32::from(a as i8) * i32::from(b)).sum()
        };
        (0..TOKENS * OUTPUTS).map(of).collect()
    }

    /// The layer without 8 bits.
    fn in_f32(&self) -> Vec<f64> {
        let row = |token: usize| &self.activations[token * FEATURES..][..FEATURES];
        let column = |output: usize| &self.weights[output * FEATURES..][..FEATURES];
        let of = |n: usize| {
            let pairs = row(n / OUTPUTS).iter().zip(column(n % OUTPUTS));
            pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
        };
        (0..TOKENS * OUTPUTS).map(of).collect()
    }

    /// What two calls for one dequantisation cost.
    #[cfg(not(target_arch = "wasm32"))]
    fn cost(&self, host: &Host) -> String {
        let time = |steps: &[&Prepared]| {
            const TIMES: u32 = 50;
            let device = host.clamper().device();
            let wait = || device.poll(wgpu::PollType::wait_indefinitely());
            let mut best = f64::INFINITY;
            for _ in 0..5 {
                let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    (0..TIMES).for_each(|_| steps.iter().for_each(|step| step.record(&mut pass)));
                }
                let start = std::time::Instant::now();
                host.queue().submit([encoder.finish()]);
                if wait().is_err() {
                    break;
                }
                best = best.min(start.elapsed().as_secs_f64() / f64::from(TIMES));
            }
            best * 1e6
        };
        let Steps { dequantize_columns, dequantize_rows, .. } = &self.steps;
        let (one, both) = (time(&[dequantize_columns]), time(&[dequantize_columns, dequantize_rows]));
        format!(
            "[{TOKENS}, {OUTPUTS}] to f32, a scale per column: {one:.0} us; then in place a scale per row: {both:.0} us in all"
        )
    }
}

/// To I8, symmetrically: −127 to 127, so that a number and its negative go together.
fn quantize() -> Result<Clamp, Error> {
    let clamp = Clamp::new(-127_i8, 127).with_source(DType::F32)?;
    Ok(clamp.with_rounding(Rounding::NearestEven).with_precision(Precision::Exact))
}

fn requantize() -> Result<Clamp, Error> {
    Ok(Clamp::new(-127_i8, 127).with_source(DType::I32)?.with_rounding(Rounding::NearestEven))
}

fn dequantize_columns() -> Result<Clamp, Error> {
    Ok(Clamp::unbounded(DType::F32).with_source(DType::I32)?.with_precision(Precision::Exact))
}

const fn dequantize_rows() -> Clamp {
    Clamp::unbounded(DType::F32).with_precision(Precision::Exact)
}

/// A clamp with a scale on the GPU.
fn scaled_there(clamp: Clamp) -> Result<Clamp, Error> {
    clamp.with_scale_bias(Number::OnGpu, Number::Absent)
}

/// The same clamp with each scale: what the reference takes, which cannot read the GPU.
fn with_scales(clamp: Clamp, scales: &[f32]) -> Result<Vec<Clamp>, Error> {
    scales.iter().map(|&scale| clamp.with_scale_bias(scale, Number::Absent)).collect()
}

impl Steps {
    fn new(host: &Host, tensors: &Tensors, to_i8: &[f32], to_f32: &[f32]) -> Result<Self, Error> {
        let Tensors { activations, scales, activations_i8, products, requantized, dequantized, weights_i8 } =
            tensors;
        let clamper = host.clamper();
        let weights = Tensor::upload(host, &[OUTPUTS, FEATURES], weights_i8)?;
        let to_i8 = Tensor::upload(host, &[OUTPUTS], to_i8)?;
        let to_f32 = Tensor::upload(host, &[OUTPUTS], to_f32)?;
        // The scales of a token lie next to each other: two slots with a stride of 2.
        let of_tokens = |first| -> Result<View<'_>, Error> {
            Ok(View::of::<f32>(scales.buffer(), Layout::strided(&[TOKENS], &[2], first)?))
        };
        let (rows, columns) = (0, 1);
        Ok(Self {
            find_scales: Kernel::new(host, FIND_SCALES, &[activations, scales], TOKENS),
            quantize: clamper.prepare(
                Clamps::slots_along(rows, &scaled_there(quantize()?)?),
                Operands::new(activations.view(), activations_i8.view()).with_scale(of_tokens(0)?),
            )?,
            multiply: Kernel::new(
                host,
                &MULTIPLY.replace("OUTPUTS", &format!("{OUTPUTS}u")),
                &[activations_i8, &weights, products],
                TOKENS * OUTPUTS,
            ),
            requantize: clamper.prepare(
                Clamps::slots_along(columns, &scaled_there(requantize()?)?),
                Operands::new(products.view(), requantized.view()).with_scale(to_i8.view()),
            )?,
            dequantize_columns: clamper.prepare(
                Clamps::slots_along(columns, &scaled_there(dequantize_columns()?)?),
                Operands::new(products.view(), dequantized.view()).with_scale(to_f32.view()),
            )?,
            dequantize_rows: clamper.prepare(
                Clamps::slots_along(rows, &scaled_there(dequantize_rows())?),
                Operands::in_place(dequantized.view()).with_scale(of_tokens(1)?),
            )?,
        })
    }
}

/// A kernel of the program with its buffers.
struct Kernel {
    pipeline: wgpu::ComputePipeline,
    buffers: wgpu::BindGroup,
    workgroups: u32,
}

impl Kernel {
    fn new(host: &Host, wgsl: &str, tensors: &[&Tensor], invocations: usize) -> Self {
        let device = host.clamper().device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(wgsl.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let entries: Vec<_> = (0..)
            .zip(tensors)
            .map(|(binding, tensor)| wgpu::BindGroupEntry {
                binding,
                resource: tensor.buffer().as_entire_binding(),
            })
            .collect();
        let buffers = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Self { pipeline, buffers, workgroups: invocations.div_ceil(64) as u32 }
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.buffers, &[]);
        pass.dispatch_workgroups(self.workgroups, 1, 1);
    }
}

fn compare(clamps: Clamps<'_>, layout: &Layout, src: &[u8], after: &[u8]) -> Result<verify::Report, Error> {
    let before = vec![0; after.len()];
    verify::check(
        clamps,
        verify::Buffers {
            src_layout: layout,
            src,
            dst_layout: layout,
            dst_before: &before,
            dst_after: after,
        },
    )
}

fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The root of the mean square of the differences, as a part of that of the numbers.
fn error(exact: &[f64], got: impl Iterator<Item = f32>) -> f64 {
    let squares: f64 = exact.iter().map(|x| x * x).sum();
    let differences: f64 = exact.iter().zip(got).map(|(x, y)| (x - f64::from(y)).powi(2)).sum();
    (differences / squares).sqrt()
}

/// What became of the layer.
pub struct Report {
    quantized: verify::Report,
    multiplied: bool,
    requantized: verify::Report,
    dequantized: verify::Report,
    error_f32: f64,
    error_i8: f64,
}

impl Report {
    /// Whether every clamp agrees with the reference, and the layer is what 8 bits allow.
    #[must_use]
    pub fn passed(&self) -> bool {
        let Self { quantized, multiplied, requantized, dequantized, error_f32, error_i8 } = self;
        let bits = quantized.passed() && *multiplied && requantized.passed() && dequantized.passed();
        bits && *error_f32 < 0.02 && *error_i8 < 0.03
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quantized, multiplied, requantized, dequantized, error_f32, error_i8 } = self;
        writeln!(f, "activations to i8, a scale per row: {quantized}")?;
        writeln!(f, "product in i32: {}", if *multiplied { "as on the CPU" } else { "wrong" })?;
        writeln!(f, "requantised to i8, a scale per column: {requantized}")?;
        writeln!(f, "dequantised to f32, per column, then per row: {dequantized}")?;
        writeln!(f, "error against the layer in f32: {:.2} % dequantised", 100.0 * error_f32)?;
        write!(f, "                                {:.2} % requantised", 100.0 * error_i8)
    }
}
