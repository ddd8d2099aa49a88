//! A quantised linear layer, all of it on the GPU: `cargo run --release --example quantize`. The same code runs in a
//! browser, as one of the tests of `cargo xtask test --browser`.
//!
//! Activations `[tokens, features]` come in F32. Weights `[outputs, features]` lie on the GPU in I8, with a scale for
//! each output. One submission does the following, and nothing is read back in between:
//!
//! 1. own kernel: finds the greatest magnitude of each token, and from it two scales for each token;
//! 2. clamp: activations to I8, each row by the scale that the kernel has found;
//! 3. own kernel: the product of activations and weights, I32 `[tokens, outputs]`;
//! 4. clamp: the product requantised to I8, each column by a scale that lies on the GPU, for a next layer in I8;
//! 5. two clamps, for a next layer in F32: the product to F32, each column by the scale of its weights; then, in place,
//!    each row by the scale of its activations. A call has one axis, so these are two calls. Together they took 1.8
//!    times as long as the first alone (lavapipe, 2026-11-24), since the second reads and writes all F32 once more.
//!
//! Each clamp is compared with the CPU reference, bit for bit, and the layer's results with the layer in floats.

use wgpu_clamp::{
    Clamp, Clamps, DType, Element, Error, Host, Layout, Number, Operands, Precision, Prepared, Rounding,
    Tensor, View, reference, verify, wgpu,
};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const TOKENS: usize = 256;
const FEATURES: usize = 256;
const OUTPUTS: usize = 512;

/// The axes along which the clamps differ.
const ROWS: usize = 0;
const COLUMNS: usize = 1;

/// The output that 127 stands for after requantisation, in units of the row's scale.
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
fn main() {
    let program = || -> Result<()> {
        let host = Host::open_blocking()?;
        println!("on {}", host.adapter());
        print!("{}", pollster::block_on(run(&host))?);
        Ok(())
    };
    if let Err(error) = program() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

/// Runs the layer on random numbers and compares its tensors with the CPU reference. Returns a report.
///
/// # Errors
///
/// A tensor differs from the reference, or the device is out of memory or lost.
pub async fn run(host: &Host) -> Result<String> {
    let layer = Layer::new(host)?;
    layer.submit(host)?;
    layer.check().await
}

/// The numbers of the layer, and its tensors.
struct Layer {
    /// Activations and weights before quantisation.
    activations: Vec<f32>,
    weights: Vec<f32>,
    weights_i8: Vec<i8>,
    /// The factor of each column of the product, to I8 and to F32.
    to_i8: Vec<f32>,
    to_f32: Vec<f32>,
    on_gpu: Tensors,
}

struct Tensors {
    activations: Tensor,
    scales: Tensor,
    activations_i8: Tensor,
    weights_i8: Tensor,
    to_i8: Tensor,
    to_f32: Tensor,
    products: Tensor,
    requantized: Tensor,
    dequantized: Tensor,
}

impl Layer {
    fn new(host: &Host) -> Result<Self> {
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
        // A real program measures how large its outputs get, in units of a row's scale. Here a few are larger.
        let to_i8: Vec<f32> = to_f32.iter().map(|scale| scale * 127.0 / OUTPUT_RANGE).collect();

        let on_gpu = Tensors {
            activations: Tensor::upload(host, &[TOKENS, FEATURES], &activations)?,
            scales: Tensor::zeros(host, DType::F32, &[TOKENS, 2])?,
            activations_i8: Tensor::zeros(host, DType::I8, &[TOKENS, FEATURES])?,
            weights_i8: Tensor::upload(host, &[OUTPUTS, FEATURES], &weights_i8)?,
            to_i8: Tensor::upload(host, &[OUTPUTS], &to_i8)?,
            to_f32: Tensor::upload(host, &[OUTPUTS], &to_f32)?,
            products: Tensor::zeros(host, DType::I32, &[TOKENS, OUTPUTS])?,
            requantized: Tensor::zeros(host, DType::I8, &[TOKENS, OUTPUTS])?,
            dequantized: Tensor::zeros(host, DType::F32, &[TOKENS, OUTPUTS])?,
        };
        Ok(Self { activations, weights, weights_i8, to_i8, to_f32, on_gpu })
    }

    /// The five steps, in one submission.
    fn submit(&self, host: &Host) -> Result<()> {
        let on_gpu = &self.on_gpu;
        // The scales of a token lie next to each other: two slots with a stride of 2.
        let of_tokens = |first| -> Result<View<'_>> {
            Ok(View::of::<f32>(on_gpu.scales.buffer(), Layout::strided(&[TOKENS], &[2], first)?))
        };
        // A program with many inputs prepares once, and records for each input.
        let [activations, activations_i8] = [on_gpu.activations.view(), on_gpu.activations_i8.view()];
        let [products, dequantized] = [on_gpu.products.view(), on_gpu.dequantized.view()];
        let to_i8 = Operands::new(activations, activations_i8);
        let quantize = prepare(host, quantize()?, ROWS, &to_i8, of_tokens(0)?)?;
        let next_i8 = Operands::new(products, on_gpu.requantized.view());
        let requantize = prepare(host, requantize()?, COLUMNS, &next_i8, on_gpu.to_i8.view())?;
        let to_f32 = Operands::new(products, dequantized);
        let dequantize_columns =
            prepare(host, dequantize_columns()?, COLUMNS, &to_f32, on_gpu.to_f32.view())?;
        let in_place = Operands::in_place(dequantized);
        let dequantize_rows = prepare(host, dequantize_rows(), ROWS, &in_place, of_tokens(1)?)?;
        let find_scales = kernel(host, FIND_SCALES, &[&on_gpu.activations, &on_gpu.scales]);
        let multiply = MULTIPLY.replace("OUTPUTS", &format!("{OUTPUTS}u"));
        let multiply =
            kernel(host, &multiply, &[&on_gpu.activations_i8, &on_gpu.weights_i8, &on_gpu.products]);

        let run = |pass: &mut wgpu::ComputePass<'_>, (pipeline, buffers): &Kernel, invocations: usize| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, buffers, &[]);
            pass.dispatch_workgroups(invocations.div_ceil(64) as u32, 1, 1);
        };
        let mut encoder =
            host.clamper().device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            run(&mut pass, &find_scales, TOKENS);
            quantize.record(&mut pass);
            run(&mut pass, &multiply, TOKENS * OUTPUTS);
            requantize.record(&mut pass);
            dequantize_columns.record(&mut pass);
            dequantize_rows.record(&mut pass);
        }
        host.queue().submit([encoder.finish()]);
        Ok(())
    }

    /// Reads everything back, and compares each step's result with the reference's result for the step's source.
    async fn check(&self) -> Result<String> {
        let on_gpu = &self.on_gpu;
        let scales: Vec<f32> = on_gpu.scales.read().await?;
        let (to_quantize, back): (Vec<f32>, Vec<f32>) = scales.chunks(2).map(|two| (two[0], two[1])).unzip();
        let activations_i8: Vec<i8> = on_gpu.activations_i8.read().await?;
        let products: Vec<i32> = on_gpu.products.read().await?;
        let requantized: Vec<i8> = on_gpu.requantized.read().await?;
        let dequantized: Vec<f32> = on_gpu.dequantized.read().await?;

        // The reference cannot read the GPU, so its clamps hold the scales.
        let with = |clamp: Clamp, scales: &[f32]| -> Result<Vec<Clamp>, Error> {
            scales.iter().map(|&scale| clamp.with_scale_bias(scale, Number::Absent)).collect()
        };
        let [inner, outer] = [[TOKENS, FEATURES], [TOKENS, OUTPUTS]].map(|shape| Layout::packed(&shape));
        let (inner, outer) = (inner?, outer?);
        let rows = with(quantize()?, &to_quantize)?;
        let activations = bytes(&self.activations);
        let quantized = compare(Clamps::along(ROWS, &rows), &inner, &activations, &activations_i8)?;

        let expected = product(&activations_i8, &self.weights_i8, |a, b| i32::from(a) * i32::from(b));
        if products != expected {
            return Err("the product is wrong".into());
        }

        let products = bytes(&products);
        let columns = with(requantize()?, &self.to_i8)?;
        let requantized_report = compare(Clamps::along(COLUMNS, &columns), &outer, &products, &requantized)?;

        // The second clamp has overwritten the first one's result. The reference computes it again: the step is exact.
        let columns = with(dequantize_columns()?, &self.to_f32)?;
        let mut between = vec![0; products.len()];
        reference::apply(Clamps::along(COLUMNS, &columns), &outer, &products, &outer, &mut between)?;
        let rows = with(dequantize_rows(), &back)?;
        let dequantized_report = compare(Clamps::along(ROWS, &rows), &outer, &between, &dequantized)?;

        let exact = product(&self.activations, &self.weights, |a, b| f64::from(a) * f64::from(b));
        let from_i8 = requantized.iter().enumerate().map(|(n, &x)| {
            let column = n % OUTPUTS;
            f32::from(x) * self.to_f32[column] / self.to_i8[column] * back[n / OUTPUTS]
        });
        let [in_f32, in_i8] = [error(&exact, dequantized.iter().copied()), error(&exact, from_i8)];
        let errors = format!("{:.2} % dequantised, {:.2} % requantised", 100.0 * in_f32, 100.0 * in_i8);
        if in_f32 >= 0.02 || in_i8 >= 0.03 {
            return Err(format!("the error is larger than 8 bits explain: {errors}").into());
        }
        Ok(format!(
            "activations to i8, a scale per row: {quantized}\n\
             product in i32: as on the CPU\n\
             requantised to i8, a scale per column: {requantized_report}\n\
             dequantised to f32, per column, then per row: {dequantized_report}\n\
             error against the layer in f32: {errors}\n"
        ))
    }
}

/// To I8, symmetrically: −127 to 127, so that a number and its negative have opposite results.
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

/// Prepares a clamp with a scale on the GPU for each index of an axis.
fn prepare<'a>(
    host: &Host,
    clamp: Clamp,
    axis: usize,
    operands: &Operands<'a>,
    scales: View<'a>,
) -> Result<Prepared, Error> {
    let clamp = clamp.with_scale_bias(Number::OnGpu, Number::Absent)?;
    host.clamper().prepare(Clamps::slots_along(axis, &clamp), operands.with_scale(scales))
}

/// A kernel of the program, and its buffers.
type Kernel = (wgpu::ComputePipeline, wgpu::BindGroup);

fn kernel(host: &Host, wgsl: &str, tensors: &[&Tensor]) -> Kernel {
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
    (pipeline, buffers)
}

/// The product `[tokens, outputs]` of `[tokens, features]` and `[outputs, features]`.
fn product<T: Copy, R: std::iter::Sum>(a: &[T], b: &[T], multiply: impl Fn(T, T) -> R + Copy) -> Vec<R> {
    let row = |a: &[T]| -> Vec<R> {
        b.chunks(FEATURES).map(|b| a.iter().zip(b).map(|(&a, &b)| multiply(a, b)).sum()).collect()
    };
    a.chunks(FEATURES).flat_map(row).collect()
}

fn compare<T: Element>(clamps: Clamps<'_>, layout: &Layout, src: &[u8], got: &[T]) -> Result<verify::Report> {
    let dst_after = &bytes(got)[..];
    let dst_before = &vec![0; dst_after.len()][..];
    let (src_layout, dst_layout) = (layout, layout);
    let buffers = verify::Buffers { src_layout, src, dst_layout, dst_before, dst_after };
    let report = verify::check(clamps, buffers)?;
    if report.passed() { Ok(report) } else { Err(format!("{clamps}: {report}").into()) }
}

fn bytes<T: Element>(numbers: &[T]) -> Vec<u8> {
    let of = |x: &T| x.to_bits64().to_le_bytes().into_iter().take(size_of::<T>());
    numbers.iter().flat_map(of).collect()
}

/// The root mean square of the differences, relative to the root mean square of the exact numbers.
fn error(exact: &[f64], got: impl Iterator<Item = f32>) -> f64 {
    let squares: f64 = exact.iter().map(|x| x * x).sum();
    let differences: f64 = exact.iter().zip(got).map(|(x, y)| (x - f64::from(y)).powi(2)).sum();
    (differences / squares).sqrt()
}
