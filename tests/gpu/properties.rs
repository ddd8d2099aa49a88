//! Random calls of every kind: the GPU agrees with the reference, and bytes that the call does not own stay as they
//! were. Failures shrink, and are kept in `proptest-regressions`.

use std::collections::HashSet;
use std::sync::OnceLock;

use arbitrary::{Result, Unstructured};
use clamp_testing::drawn::{channels, clamp, steps_on_gpu};
use clamp_testing::layouts::of_every_kind;
use clamp_testing::slots::Slots;
use proptest::prelude::*;
use wgpu_clamp::self_test::elements;
use wgpu_clamp::{Clamp, Clamps, DType, Error, Layout, Number, Operands, Refusal, View};

use crate::harness::{Gpu, Turns, buffer, compare, devices, exhaustive, gpus, packed, strided, told};
use crate::random::Random;

/// Random elements, half of them edge values.
fn data(dtype: DType, bytes: usize, rng: &mut Random) -> Vec<u8> {
    let mut data = rng.bytes(bytes.max(4));
    let edges = elements(dtype, 0);
    for element in data.chunks_exact_mut(dtype.size()) {
        if rng.below(2) == 0 {
            element.copy_from_slice(&rng.pick(&edges).to_le_bytes()[..dtype.size()]);
        }
    }
    data
}

/// A call.
#[derive(Clone, Debug)]
struct Call {
    /// One clamp, or one per index of the axis; then no number is on the GPU.
    list: Vec<Clamp>,
    axis: Option<usize>,
    layouts: (Layout, Layout),
    one_buffer: bool,
    /// Whether the device is one of [`small`].
    small: bool,
    /// The bits of Min, Max, scale and bias where they lie on the GPU.
    slots: [u64; 4],
    /// For the elements.
    seed: u64,
}

impl Call {
    fn of(u: &mut Unstructured) -> Result<Self> {
        let (src, dst) = of_every_kind(u)?;
        let [one_buffer, in_place] = u.arbitrary()?;
        let (small, by_channel) = (u.ratio(3, 10)?, u.ratio(3, 10)?);
        let (any, seed) = (u.arbitrary::<[u64; 2]>()?, u.arbitrary()?);
        let step = [0, 1].map(|n| f32::from((any[n] >> 3) as i16) / 256.0);
        let slots = [any[0], any[1], step[0].to_bits().into(), step[1].to_bits().into()];
        let asked = clamp(u)?;
        let axis = if by_channel && dst.rank() > 0 { Some(u.choose_index(dst.rank())?) } else { None };
        let axis = axis.filter(|_| !dst.is_empty());
        let list = match axis {
            Some(axis) => channels(u, Slots::new(&asked, slots).clamp().unwrap(), dst.shape()[axis])?,
            None => vec![if u.ratio(1, 3)? { steps_on_gpu(u, &asked)?.unwrap_or(asked) } else { asked }],
        };
        let src = if one_buffer && in_place { dst } else { src };
        Ok(Self { list, axis, layouts: (src, dst), one_buffer, small, slots, seed })
    }

    fn run(&self, gpu: &Gpu) {
        told(|| format!("{self:?} on {}", gpu.name), || self.run_quietly(gpu));
    }

    fn run_quietly(&self, gpu: &Gpu) {
        let (clamp, (src, dst)) = (&self.list[0], self.layouts);
        let (source, dtype) = (clamp.source(), clamp.dtype());
        let mut rng = Random(self.seed);
        let size = src.required_bytes(source).max(dst.required_bytes(dtype)) as usize;
        let (from, to) = (data(source, size, &mut rng), data(dtype, size, &mut rng));
        let (src_buffer, other) = (buffer(gpu, &from), buffer(gpu, &to));
        let (to, dst_buffer) = if self.one_buffer { (&from, &src_buffer) } else { (&to, &other) };
        let operands = Operands::new(View::new(&src_buffer, source, src), View::new(dst_buffer, dtype, dst));
        if let Some(axis) = self.axis {
            let clamps = Clamps::along(axis, &self.list);
            return submit(gpu, clamps, clamps, &operands, &from, to);
        }
        // Each slot lies 8 bytes into its buffer.
        let buffers = self.slots.map(|bits| buffer(gpu, &[[0xee; 8], bits.to_le_bytes()].concat()));
        let slot = |n: usize, number: Number, dtype: DType| {
            let view = View::new(&buffers[n], dtype, strided(&[], &[], 8 / dtype.size()));
            (number == Number::OnGpu).then_some(view)
        };
        let operands = operands.with_min(slot(0, clamp.min(), dtype)).with_max(slot(1, clamp.max(), dtype));
        let operands = operands.with_scale(slot(2, clamp.scale(), DType::F32));
        let operands = operands.with_bias(slot(3, clamp.bias(), DType::F32));
        let by_value = Slots::new(clamp, self.slots).clamp().unwrap();
        submit(gpu, clamp.into(), (&by_value).into(), &operands, &from, to);
    }
}

/// Devices whose bindings and grids are so small that many tensors take several windows, and two rows of workgroups.
fn small() -> Turns {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    let limited = |gpu: &Gpu| {
        gpu.limited(|limits| {
            // For the table of 200 channels of I64.
            limits.max_storage_buffer_binding_size = 32 << 10;
            limits.max_compute_workgroups_per_dimension = 2;
        })
    };
    Turns::of(GPUS.get_or_init(|| gpus().map(limited).collect()))
}

/// Submits the call. Compares the result with `by_value`, or asserts that the call was rightly refused.
fn submit(
    gpu: &Gpu,
    asked: Clamps<'_>,
    by_value: Clamps<'_>,
    operands: &Operands<'_>,
    from: &[u8],
    to: &[u8],
) {
    let (src, dst) = (operands.src(), operands.dst());
    match gpu.host.submit(asked, *operands) {
        Ok(_) => compare(gpu, by_value, *operands, from, to),
        // The two views must share a byte. (If dst overlaps itself, the error names only dst.)
        Err(Error::Overlap(Refusal { argument: "src, dst", .. })) if src.buffer() == dst.buffer() => {
            let bytes = |view: View<'_>| {
                let size = view.dtype().size();
                let addresses = view.layout().addresses();
                addresses.flat_map(move |address| address * size..(address + 1) * size)
            };
            let read: HashSet<usize> = bytes(src).collect();
            assert!(bytes(dst).any(|byte| read.contains(&byte)));
        }
        Err(error) => panic!("{error} on {}", gpu.name),
    }
}

/// Regression cases, spelled out, because changed generators draw other cases for the same bytes.
#[test]
fn cases_that_were_found() {
    let gaps = (packed(&[2]), strided(&[2], &[2], 0));
    let behind = strided(&[1], &[1], 1);
    let of_zero = Clamp::unbounded(DType::F64).with_affine(0.0, 0.0).unwrap();
    let widened = Clamp::unbounded(DType::U16).with_source(DType::U8).unwrap();
    for (clamp, layouts, one_buffer) in [
        (of_zero, gaps, false),
        (Clamp::unbounded(DType::F32), gaps, false),
        (widened, (behind, behind), true),
    ] {
        let list = vec![clamp];
        let call = Call { list, axis: None, layouts, one_buffer, small: false, slots: [0; 4], seed: 0 };
        gpus().for_each(|gpu| call.run(gpu));
    }
}

/// Cases differ in each run. Most of the time goes into pipelines that a driver has not seen; the fuzz target `plan` makes
/// similar calls without a driver.
fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(if exhaustive() { 3000 } else { 250 })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn whatever_is_asked_for_agrees_with_the_reference(bytes in prop::collection::vec(any::<u8>(), 300)) {
        let call = Call::of(&mut Unstructured::new(&bytes)).unwrap();
        let dtype = call.list[0].dtype();
        if call.small {
            small().for_each(|gpu| call.run(gpu));
        } else {
            devices().filter(|gpu| gpu.dtypes().contains(&dtype)).for_each(|gpu| call.run(gpu));
        }
    }
}
