//! A quantised linear layer, all of it on the GPU: `cargo run --release --example quantize`.
//!
//! Activations `[tokens, features]` come in F32. Weights `[outputs, features]` lie on the GPU in I8, with a scale for
//! each output. One submission does the following, and nothing is read back in between:
//!
//! 1. own kernel: finds the greatest magnitude of each token, and from it two scales for each token;
//! 2. clamp: activations to I8, each row by the scale that the kernel has found;
//! 3. own kernel: the product of activations and weights, I32 `[tokens, outputs]`;
//! 4. clamp: the product requantised to I8, each column by a scale that lies on the GPU, for a next layer in I8;
//! 5. two clamps, for a next layer in F32: the product to F32, each column by the scale of its weights; then, in place,
//!    each row by the scale of its activations. A call has one axis, so these are two calls.
//!
//! Each clamp's result is compared with the CPU reference's result for the clamp's source, bit for bit.

use wgpu_clamp::{
    Clamp, Clamps, DType, Error, Host, Layout, Number, Operands, Precision, Prepared, Rounding, Tensor, View,
    reference, verify, wgpu,
};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const TOKENS: usize = 256;
const FEATURES: usize = 256;
const OUTPUTS: usize = 512;

/// The axes along which the clamps differ.
const ROWS: usize = 0;
const COLUMNS: usize = 1;

/// Two scales for each token: from F32 to I8, and back.
const FIND_SCALES: &str = "
    @group(0) @binding(0) var<storage, read> activations: array<f32>;
    @group(0) @binding(1) var<storage, read_write> scales: array<vec2<f32>>;

    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let features = arrayLength(&activations) / arrayLength(&scales);
        if id.x < arrayLength(&scales) {
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
        let outputs = 512u;
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

fn main() -> Result<()> {
    let host = &Host::open_blocking()?;
    let [activations, weights, to_f32, to_i8] = inputs(host)?;
    let zeros = |dtype, shape: [usize; 2]| Tensor::zeros(host, dtype, &shape);
    let scales = zeros(DType::F32, [TOKENS, 2])?;
    let activations_i8 = zeros(DType::I8, [TOKENS, FEATURES])?;
    let products = zeros(DType::I32, [TOKENS, OUTPUTS])?;
    let requantized = zeros(DType::I8, [TOKENS, OUTPUTS])?;
    let dequantized = zeros(DType::F32, [TOKENS, OUTPUTS])?;

    // To I8 symmetrically, −127 to 127, so that a number and its negative have opposite results.
    let symmetric = Clamp::new(-127_i8, 127).with_rounding(Rounding::NearestEven);
    let quantize = symmetric.with_source(DType::F32)?.with_precision(Precision::Exact);
    let requantize = symmetric.with_source(DType::I32)?;
    let floats = Clamp::unbounded(DType::F32).with_precision(Precision::Exact);
    let by_column = floats.with_source(DType::I32)?;

    // A program with many inputs prepares once, and records for each input. The two scales of a token lie next to each
    // other: slots with a stride of 2.
    let of_tokens = |first| -> Result<View<'_>> {
        Ok(View::of::<f32>(scales.buffer(), Layout::strided(&[TOKENS], &[2], first)?))
    };
    let prepare = |clamp: Clamp, axis, operands: Operands<'_>, scales: View<'_>| -> Result<Prepared> {
        let clamp = clamp.with_affine(Number::OnGpu, Number::Absent)?;
        Ok(host.clamper().prepare(Clamps::slots_along(axis, clamp), operands.with_scale(scales))?)
    };
    let to_rows = Operands::new(activations.view(), activations_i8.view());
    let quantizing = prepare(quantize, ROWS, to_rows, of_tokens(0)?)?;
    let next_i8 = Operands::new(products.view(), requantized.view());
    let requantizing = prepare(requantize, COLUMNS, next_i8, to_i8.view())?;
    let next_f32 = Operands::new(products.view(), dequantized.view());
    let columns = prepare(by_column, COLUMNS, next_f32, to_f32.view())?;
    let rows = prepare(floats, ROWS, Operands::in_place(dequantized.view()), of_tokens(1)?)?;
    let find_scales = Kernel::new(host, FIND_SCALES, &[&activations, &scales]);
    let multiply = Kernel::new(host, MULTIPLY, &[&activations_i8, &weights, &products]);

    let device = host.clamper().device();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        find_scales.record(&mut pass, TOKENS);
        quantizing.record(&mut pass);
        multiply.record(&mut pass, TOKENS * OUTPUTS);
        requantizing.record(&mut pass);
        columns.record(&mut pass);
        rows.record(&mut pass);
    }
    host.queue().submit([encoder.finish()]);

    // The reference cannot read the GPU, so its clamps hold the scales.
    let with = |clamp: Clamp, scales: &[f32]| -> Result<Vec<Clamp>, Error> {
        scales.iter().map(|&scale| clamp.with_affine(scale, Number::Absent)).collect()
    };
    let scales: Vec<f32> = scales.read_blocking()?;
    let (to_rows, back): (Vec<f32>, Vec<f32>) = scales.chunks(2).map(|two| (two[0], two[1])).unzip();
    let (to_i8, to_f32) = (to_i8.read_blocking()?, to_f32.read_blocking()?);
    println!("on {}", host.description());
    let clamps = with(quantize, &to_rows)?;
    compare(Clamps::along(ROWS, &clamps), &activations.read_bytes_blocking()?, &activations_i8)?;
    let products = products.read_bytes_blocking()?;
    compare(Clamps::along(COLUMNS, &with(requantize, &to_i8)?), &products, &requantized)?;
    // The second clamp has overwritten the first one's result. The reference computes it again: the step is exact.
    let (mut between, layout) = (vec![0; products.len()], dequantized.layout());
    let clamps = with(by_column, &to_f32)?;
    reference::apply(Clamps::along(COLUMNS, &clamps), &layout, &products, &layout, &mut between)?;
    compare(Clamps::along(ROWS, &with(floats, &back)?), &between, &dequantized)
}

/// Activations, weights, and the scale of each output to F32 and to I8.
fn inputs(host: &Host) -> Result<[Tensor; 4]> {
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from((state >> 16) as u16) / 32_768.0 - 1.0
    };
    // Tokens differ in magnitude, which is why each has a scale.
    let activations: Vec<f32> =
        (0..TOKENS * FEATURES).map(|n| random() * [1.0, 2.0, 0.3, 5.0, 0.01][n / FEATURES % 5]).collect();
    // The program has quantised its weights before it runs.
    let weights: Vec<i8> = (0..OUTPUTS * FEATURES).map(|_| (127.0 * random()) as i8).collect();
    let to_f32: Vec<f32> = (0..OUTPUTS).map(|_| 4e-4 * (1.5 + random())).collect();
    // A real program measures how large its outputs get. Here a few are larger, and saturate.
    let to_i8: Vec<f32> = to_f32.iter().map(|scale| scale * 0.94).collect();
    Ok([
        Tensor::upload(host, &[TOKENS, FEATURES], &activations)?,
        Tensor::upload(host, &[OUTPUTS, FEATURES], &weights)?,
        Tensor::upload(host, &[OUTPUTS], &to_f32)?,
        Tensor::upload(host, &[OUTPUTS], &to_i8)?,
    ])
}

/// A kernel of the program, and its buffers.
struct Kernel(wgpu::ComputePipeline, wgpu::BindGroup);

impl Kernel {
    fn new(host: &Host, wgsl: &str, tensors: &[&Tensor]) -> Self {
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
        let layout = &pipeline.get_bind_group_layout(0);
        let buffers =
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
        Self(pipeline, buffers)
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>, invocations: usize) {
        pass.set_pipeline(&self.0);
        pass.set_bind_group(0, &self.1, &[]);
        pass.dispatch_workgroups(invocations.div_ceil(64) as u32, 1, 1);
    }
}

/// Compares a tensor with the reference's result for a source of the same shape.
fn compare(clamps: Clamps<'_>, src: &[u8], got: &Tensor) -> Result<()> {
    let (layout, dst_after) = (&got.layout(), &got.read_bytes_blocking()?[..]);
    let dst_before = &vec![0; dst_after.len()][..];
    let buffers = verify::Buffers { src_layout: layout, src, dst_layout: layout, dst_before, dst_after };
    let report = verify::check(clamps, buffers)?;
    println!("{clamps}: {report}");
    if report.passed() { Ok(()) } else { Err("a result differs from the CPU reference".into()) }
}
