//! Tensors of burn, clamped where they lie: `cargo xtask integrations burn`, or `cargo run` in this folder.
//!
//! The program has a wgpu device, and burn uses the same one. [`Lent`] is the way from a tensor to a
//! [`wgpu_clamp::View`]: the primitive below it, its buffer and offset, its strides. burn and this crate then take turns on
//! one queue, and nothing is copied or waited for in between. Four cases, each read back through burn and compared with
//! the reference bit by bit: in place, into another tensor, a transposed source, and a slice that begins within a buffer.
//!
//! - **Fusion**, which burn has on by default, keeps operations back until somebody wants their result. `Lent` is
//!   somebody: it resolves the tensor, which runs what it depends on. `--no-default-features` builds burn without fusion.
//! - **In place** means the memory. Clones and slices of the tensor that share it change too, which operations of burn
//!   never let happen. Clamp in place what the program alone holds.
//! - **Order.** `Lent` submits what burn has recorded for the tensor. Submit the clamp before burn is told to do more with
//!   that tensor; what burn records after that comes after it on the queue.
//! - **Life.** A `Lent` keeps the memory from going to another tensor. Drop it after the submission, not before.

use std::any::Any;
use std::process::ExitCode;

use burn::backend::Wgpu;
use burn::backend::wgpu::CubeTensor;
use burn::cubecl::wgpu::{AutoCompiler, WgpuServer};
use burn::tensor::wgpu::WgpuSetup;
use burn::tensor::{Device, Tensor, TensorData};
use wgpu_clamp::{Clamp, Clamper, DType, Layout, Operands, Precision, View, reference, wgpu};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A tensor's memory, for as long as the clamp needs it to be submitted.
struct Lent {
    buffer: wgpu::Buffer,
    layout: Layout,
    dtype: DType,
    /// While it lives, the memory is neither moved nor given to another tensor. burn does not export its type.
    _memory: Box<dyn Any>,
}

impl Lent {
    /// After this, all that burn had to do for the tensor is submitted.
    fn of<const D: usize>(tensor: &Tensor<D>) -> Result<Self> {
        let tensor = primitive(tensor.clone())?;
        if tensor.meta.is_tiled() {
            return Err("the tensor's memory is tiled, which no strides describe".into());
        }
        let dtype = dtype(tensor.dtype)?;
        let memory = tensor.client.get_resource::<WgpuServer<AutoCompiler>>(tensor.handle.clone())?;
        // burn's documentation asks for it before others use the queue; `get_resource` of cubecl 0.11 has done it already. The
        // tensor's stream is not that of this thread where fusion has made it.
        tensor.handle.stream.executes(|| tensor.client.flush())?;

        // burn's offset counts bytes, and its buffers hold many tensors. Strides count elements on both sides.
        let buffer = memory.resource().buffer.clone();
        let (offset, size) = (memory.resource().offset, dtype.size() as u64);
        if !offset.is_multiple_of(size) {
            return Err(format!("the tensor begins at byte {offset}, which is no multiple of {size}").into());
        }
        let strides = tensor.meta.strides().iter().map(|&stride| isize::try_from(stride));
        let strides = strides.collect::<std::result::Result<Vec<_>, _>>()?;
        let layout = Layout::strided(tensor.meta.shape(), &strides, usize::try_from(offset / size)?)?;
        Ok(Self { buffer, layout, dtype, _memory: Box::new(memory) })
    }

    /// With its dtype: a clamp of another is an error.
    fn view(&self) -> View<'_> {
        View::new(&self.buffer, self.dtype, self.layout)
    }
}

/// What lies below a tensor. With fusion on, what it depends on runs first.
fn primitive<const D: usize>(tensor: Tensor<D>) -> Result<CubeTensor> {
    let primitive = tensor.try_into_primitive::<Wgpu>().map_err(|error| format!("{error:?}"))?;
    #[cfg(feature = "fusion")]
    let primitive =
        primitive.client.clone().resolve_tensor_float::<burn::backend::wgpu::CubeBackend>(primitive);
    Ok(primitive)
}

/// Of burn's float tensors. Those of integers go the same way, by `resolve_tensor_int`.
fn dtype(dtype: burn::tensor::DType) -> Result<DType> {
    Ok(match dtype {
        burn::tensor::DType::F64 => DType::F64,
        burn::tensor::DType::F32 => DType::F32,
        burn::tensor::DType::F16 => DType::F16,
        burn::tensor::DType::BF16 => DType::BF16,
        other => {
            return Err(format!("{other:?} is no float dtype of a clamp; f64, f32, f16 and bf16 are").into());
        }
    })
}

/// What the program has beside burn: a clamper and a queue, both of burn's device.
struct Program {
    clamper: Clamper,
    queue: wgpu::Queue,
    burn: Device,
    clamp: Clamp,
}

impl Program {
    fn submit(&self, operands: Operands<'_>) -> Result<()> {
        let mut encoder =
            self.clamper.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.clamper.encode(&mut encoder, &self.clamp, operands)?;
        self.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// What burn computes, and the same numbers on the host.
    fn tensor(&self, shape: [usize; 2]) -> (Tensor<2>, Vec<f32>) {
        let numbers: Vec<f32> = (-125_i8..=125).cycle().map(f32::from).take(shape[0] * shape[1]).collect();
        let tensor = Tensor::from_data(TensorData::new(numbers.clone(), shape), &self.burn);
        // Pending when the clamp asks for the tensor. A power of two, so no device can round it.
        (tensor * 0.5, numbers.into_iter().map(|x| x * 0.5).collect())
    }

    /// Reads back after one more operation of burn: the negation, which no device can round either.
    fn compare(&self, case: &str, clamped: Tensor<2>, src: &[f32]) -> Result<()> {
        let mut expected = vec![0.0_f32; src.len()];
        reference::clamp_slice(&self.clamp, src, &mut expected)?;
        let read = (-clamped).into_data().try_to_vec::<f32>()?;
        let different = read.iter().zip(&expected).position(|(x, y)| x.to_bits() != (-y).to_bits());
        if let Some(n) = different {
            return Err(format!("{case}: element {n} is {}, not {}", read[n], -expected[n]).into());
        }
        if read.len() != expected.len() {
            return Err(format!("{case}: {} elements, not {}", read.len(), expected.len()).into());
        }
        println!("{case}: {} elements, each as the reference says", read.len());
        Ok(())
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let setup = pollster::block_on(open())?;
    println!(
        "on {}, {} fusion",
        setup.adapter.get_info().name,
        if cfg!(feature = "fusion") { "with" } else { "without" }
    );
    let program = Program {
        clamper: Clamper::new(&setup.device)?,
        queue: setup.queue.clone(),
        // Once: burn does not notice that it was given the same device again.
        burn: Device::wgpu_options().setup(setup).init()?,
        clamp: Clamp::new(-20.0_f32, 40.0).with_affine(1.5, 0.25)?.with_precision(Precision::Exact),
    };

    let (tensor, numbers) = program.tensor([300, 128]);
    let lent = Lent::of(&tensor)?;
    program.submit(Operands::in_place(lent.view()))?;
    drop(lent);
    program.compare("in place", tensor, &numbers)?;

    let (src, numbers) = program.tensor([300, 128]);
    let dst = Tensor::empty([300, 128], &program.burn);
    let lent = (Lent::of(&src)?, Lent::of(&dst)?);
    program.submit(Operands::new(lent.0.view(), lent.1.view()))?;
    drop(lent);
    program.compare("into another tensor", dst, &numbers)?;

    // The source has strides; the destination is packed, in the order of the transposed one.
    let (src, numbers) = program.tensor([300, 128]);
    let dst = Tensor::empty([128, 300], &program.burn);
    let lent = (Lent::of(&src.transpose())?, Lent::of(&dst)?);
    println!("  transposed: {}", lent.0.layout);
    program.submit(Operands::new(lent.0.view(), lent.1.view()))?;
    drop(lent);
    let transposed: Vec<f32> =
        (0..128).flat_map(|column| numbers[column..].iter().step_by(128)).copied().collect();
    program.compare("from a transposed tensor", dst, &transposed)?;

    // Rows of 512 bytes, so that burn makes no copy for the slice.
    let (tensor, numbers) = program.tensor([300, 128]);
    let slice = tensor.slice([100..200, 0..128]);
    let lent = Lent::of(&slice)?;
    println!("  slice: {}", lent.layout);
    program.submit(Operands::in_place(lent.view()))?;
    drop(lent);
    program.compare("a slice, in place", slice, &numbers[100 * 128..200 * 128])
}

/// The device of the program. A real one has it already. burn wants what the adapter offers.
async fn open() -> Result<WgpuSetup> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    let (device, queue) = adapter
        .request_device(&wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() })
        .await?;
    let backend = adapter.get_info().backend;
    Ok(WgpuSetup { instance, adapter, device, queue, backend })
}
