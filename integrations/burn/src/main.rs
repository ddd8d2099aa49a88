//! Tensors of burn, clamped where they lie: `cargo xtask integrations`, or `cargo run` in this folder.
//!
//! burn uses the program's wgpu device. [`Lent`] makes a [`wgpu_clamp::View`] of a tensor, from the buffer, offset and
//! strides of the primitive below the tensor. burn and this crate then take turns on one queue, without a copy or a
//! wait in between. Two results are read back through burn and compared with the reference bit by bit: of a transposed
//! source in another tensor, and of a slice that begins within a buffer, in place.
//!
//! - **Fusion** is burn's default. It delays operations until their result is needed. `Lent` resolves the tensor, which
//!   runs the operations that the tensor depends on. `--no-default-features` builds burn without fusion.
//! - **In place** changes the memory, and with it every clone and slice of the tensor that shares the memory. burn's
//!   own operations never do this. Clamp a tensor in place only if the program has no clone or slice of it.
//! - **Order.** `Lent` submits the work that burn has recorded for the tensor. Submit the clamp before you give burn
//!   more work on that tensor. Work that burn records later comes later on the queue.
//! - **Life.** A `Lent` keeps the memory from going to another tensor. Drop it after the submission, not before.

use std::any::Any;

use burn::backend::Wgpu;
use burn::backend::wgpu::CubeTensor;
use burn::cubecl::wgpu::{AutoCompiler, WgpuServer};
use burn::tensor::wgpu::WgpuSetup;
use burn::tensor::{Device, Tensor, TensorData};
use wgpu_clamp::{Clamp, Clamper, DType, Layout, Operands, Precision, View, reference, wgpu};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A tensor's memory, held until the clamp is submitted.
struct Lent {
    buffer: wgpu::Buffer,
    layout: Layout,
    dtype: DType,
    /// While this lives, the memory is neither moved nor given to another tensor. burn does not export the type.
    _memory: Box<dyn Any>,
}

impl Lent {
    /// Submits all of burn's work for the tensor, and takes hold of its memory.
    fn of<const D: usize>(tensor: &Tensor<D>) -> Result<Self> {
        let tensor = primitive(tensor.clone())?;
        if tensor.meta.is_tiled() {
            return Err("the tensor's memory is tiled, which no strides describe".into());
        }
        let dtype = dtype(tensor.dtype)?;
        let memory = tensor.client.get_resource::<WgpuServer<AutoCompiler>>(tensor.handle.clone())?;
        // burn's documentation asks for a flush before others use the queue, although `get_resource` of cubecl 0.11 has
        // flushed already. The stream is the tensor's: with fusion, it is not this thread's.
        tensor.handle.stream.executes(|| tensor.client.flush())?;

        // burn's offset counts bytes, and its buffers hold many tensors. burn's strides count elements, as ours do.
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

    /// A view with the tensor's dtype. A clamp of another dtype is an error.
    fn view(&self) -> View<'_> {
        View::new(&self.buffer, self.dtype, self.layout)
    }
}

/// The primitive below a tensor. With fusion, the operations that the tensor depends on run first.
fn primitive<const D: usize>(tensor: Tensor<D>) -> Result<CubeTensor> {
    let primitive = tensor.try_into_primitive::<Wgpu>().map_err(|error| format!("{error:?}"))?;
    #[cfg(feature = "fusion")]
    let primitive =
        primitive.client.clone().resolve_tensor_float::<burn::backend::wgpu::CubeBackend>(primitive);
    Ok(primitive)
}

/// The crate's dtype for a float tensor of burn. Integer tensors would go the same way, by `resolve_tensor_int`.
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

/// The program's clamper and queue, both of burn's device.
struct Program {
    clamper: Clamper,
    queue: wgpu::Queue,
    burn: Device,
    clamp: Clamp,
}

impl Program {
    fn submit(&self, operands: &Operands<'_>) -> Result<()> {
        let mut encoder =
            self.clamper.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.clamper.encode(&mut encoder, self.clamp, *operands)?;
        self.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// A tensor that burn computes, and the same numbers on the host.
    fn tensor(&self, shape: [usize; 2]) -> (Tensor<2>, Vec<f32>) {
        let numbers: Vec<f32> = (-125_i8..=125).cycle().map(f32::from).take(shape[0] * shape[1]).collect();
        let tensor = Tensor::from_data(TensorData::new(numbers.clone(), shape), &self.burn);
        // The product is pending when the clamp asks for the tensor. It has a power of two, so no device rounds it.
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
        println!("{case}: {} elements, each is one that the reference allows", read.len());
        Ok(())
    }
}

fn main() -> Result<()> {
    let setup = pollster::block_on(open())?;
    println!(
        "on {}, {} fusion",
        setup.adapter.get_info().name,
        if cfg!(feature = "fusion") { "with" } else { "without" }
    );
    let program = Program {
        clamper: Clamper::new(&setup.device)?,
        queue: setup.queue.clone(),
        // Only once: burn would not notice that it gets the same device again.
        burn: Device::wgpu_options().setup(setup).init()?,
        clamp: Clamp::new(-20.0_f32, 40.0).with_affine(1.5, 0.25)?.with_precision(Precision::Exact),
    };

    // The source has transposed strides; the destination is packed in the transposed order.
    let (src, numbers) = program.tensor([300, 128]);
    let dst = Tensor::empty([128, 300], &program.burn);
    let lent = (Lent::of(&src.transpose())?, Lent::of(&dst)?);
    println!("  transposed: {}", lent.0.layout);
    program.submit(&Operands::new(lent.0.view(), lent.1.view()))?;
    drop(lent);
    let transposed: Vec<f32> =
        (0..128).flat_map(|column| numbers[column..].iter().step_by(128)).copied().collect();
    program.compare("from a transposed tensor", dst, &transposed)?;

    // Rows of 512 bytes, so that burn makes no copy for the slice.
    let (tensor, numbers) = program.tensor([300, 128]);
    let slice = tensor.slice([100..200, 0..128]);
    let lent = Lent::of(&slice)?;
    println!("  slice: {}", lent.layout);
    program.submit(&Operands::in_place(lent.view()))?;
    drop(lent);
    program.compare("a slice, in place", slice, &numbers[100 * 128..200 * 128])
}

/// Opens the device. A real program already has one. burn wants all limits that the adapter offers, and writes kernels for all
/// its features, such as `u64`: on a device without them they panic.
async fn open() -> Result<WgpuSetup> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features().difference(wgpu::Features::all_experimental_mask()),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) = adapter.request_device(&descriptor).await?;
    let backend = adapter.get_info().backend;
    Ok(WgpuSetup { instance, adapter, device, queue, backend })
}
