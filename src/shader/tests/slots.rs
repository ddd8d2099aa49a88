//! Numbers from slots: `resolve.wgsl`, executed, writes the same parameters as the host does for the numbers that it knows.

use wgsl_sanitizer::{Binding, Device, Dispatch, Memory, Module, Program};

use super::super::{self as shader, binding};
use crate::arithmetic::{
    Arithmetic, Entries, NUMBERS, ParameterPlace, Parameters, ResolveParams, SlotReads, StepNumbers,
    TableOrder, Target,
};
use crate::operator::Kind;
use crate::{Clamp, DType, NanRule, Number, Order, Precision, Scalar};

/// `resolve.wgsl`, lowered for the slots that a dispatch reads.
struct Resolve {
    module: Module,
    programs: Vec<(SlotReads, Program)>,
}

impl Resolve {
    fn new() -> Self {
        let module = Module::parse(&shader::Module::Resolve.source()).unwrap();
        Self { module, programs: Vec::new() }
    }

    fn program(&mut self, reads: SlotReads) -> &Program {
        let at = self.programs.iter().position(|(other, _)| *other == reads).unwrap_or_else(|| {
            let program = self.module.program("resolve", &reads.constants()).unwrap();
            self.programs.push((reads, program));
            self.programs.len() - 1
        });
        &self.programs[at].1
    }

    /// The parameters of `clamp`, which has numbers on the GPU, after a dispatch that reads these from slots with `values`.
    fn parameters(&mut self, clamp: &Clamp, values: [Number; NUMBERS]) -> (Arithmetic, Vec<u8>) {
        let mut numbers = Vec::new();
        let arithmetic = Arithmetic::of(&[*clamp], false, StepNumbers::kept_in(&mut numbers)).unwrap();
        // 16 bytes a slot, in one buffer.
        let mut bytes = [0; 16 * NUMBERS];
        let mut slots = [None; NUMBERS];
        for (n, (_, number)) in clamp.numbers().into_iter().enumerate() {
            if number == Number::OnGpu {
                slots[n] = Some([0, 0]);
                bytes[16 * n..][..8].copy_from_slice(&values[n].bits().unwrap().to_le_bytes());
            }
        }
        let entries = Entries::of(arithmetic, ParameterPlace::One, TableOrder::ByChannel, 1);
        let target = Target { entries, first: 0, channels: 1, blocks: 1, pitch: 0 };
        let params = ResolveParams::new(clamp, arithmetic, slots, &target, 1);
        let before = Parameters::new(clamp, arithmetic, &numbers[0]);
        let whole = |binding, buffer, size| Binding { group: 0, binding, buffer, offset: 0, size };
        let of_slot = |(number, binding)| Binding { offset: 16 * number as u64, ..whole(binding, 1, 16) };
        let mut bindings = vec![
            whole(binding::PARAMS, 0, size_of::<ResolveParams>() as u64),
            whole(binding::resolve::BLOCKS, 2, before.as_bytes().len() as u64),
        ];
        let read = (0..NUMBERS).filter(|&n| slots[n].is_some()).zip(binding::resolve::SLOTS);
        bindings.extend(read.map(of_slot));
        let program = self.program(SlotReads::of(arithmetic, &slots));
        let dispatch = Dispatch { program, grid: [1; 3], bindings };
        let buffers = [bytemuck::bytes_of(&params), &bytes, before.as_bytes()].map(Memory::from_bytes);
        let outcome = wgsl_sanitizer::on_device(Device::all().next().unwrap(), &[dispatch], &buffers);
        assert!(outcome.findings.is_empty(), "{clamp:?}: {:?}", outcome.findings);
        (arithmetic, outcome.buffers[2].to_bytes())
    }

    /// Compares the parameters of `clamp` with those after its numbers on the GPU were read from slots with `values`.
    fn compare(&mut self, on_gpu: &Clamp, known: &Clamp, values: [Number; NUMBERS]) {
        let (arithmetic, written) = self.parameters(on_gpu, values);
        let numbers = StepNumbers::find(known, arithmetic).unwrap();
        assert_eq!(
            written,
            Parameters::new(known, arithmetic, &numbers).as_bytes(),
            "{known:?} from {on_gpu:?}"
        );
    }
}

fn number(dtype: DType, bits: u64) -> Number {
    Number::Value(Scalar::from_bits(dtype, bits).unwrap())
}

/// Zeros, ones, the ends of the dtype, and for floats a subnormal, infinities and a NaN of either sign.
fn bounds(dtype: DType) -> Vec<Number> {
    let top = 1 << (dtype.bits() - 1);
    let magnitudes = match dtype.kind() {
        Kind::Float(format) => vec![0, 1, format.infinity / 2, format.infinity - 1, format.infinity, top - 1],
        _ => vec![0, 1, 100, top - 1],
    };
    let both = magnitudes.into_iter().flat_map(|magnitude| [magnitude, magnitude | top]);
    both.map(|bits| number(dtype, bits)).collect()
}

#[test]
fn bounds_from_slots_become_the_parameters_of_known_bounds() {
    let mut resolve = Resolve::new();
    for dtype in DType::ALL {
        let all = bounds(dtype);
        let rules = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax];
        let rules =
            rules.into_iter().flat_map(|rule| [Order::MinWins, Order::MaxWins].map(|order| (rule, order)));
        for (rule, order) in rules {
            let clamp = Clamp::unbounded(dtype).with_nan_rule(rule).with_order(order);
            for (&min, &max) in all.iter().flat_map(|min| all.iter().map(move |max| (min, max))) {
                let known = clamp.with_bounds(min, max).unwrap();
                for (low, high) in
                    [(Number::OnGpu, max), (min, Number::OnGpu), (Number::OnGpu, Number::OnGpu)]
                {
                    let on_gpu = clamp.with_bounds(low, high).unwrap();
                    resolve.compare(&on_gpu, &known, [min, max, Number::Absent, Number::Absent]);
                }
            }
        }
    }
}

#[test]
fn scale_and_bias_from_slots_become_the_numbers_of_known_ones() {
    let mut resolve = Resolve::new();
    let single = |x: f32| number(DType::F32, x.to_bits().into());
    let sizes = [0.0, f32::from_bits(1), f32::MIN_POSITIVE, 1.0 / 3.0, 1.0, 1.5, 65_537.0, f32::MAX];
    let all: Vec<f32> = sizes.into_iter().flat_map(|size| [size, -size]).collect();
    let pairs = [
        (DType::F32, DType::F32),
        (DType::F16, DType::F16),
        (DType::BF16, DType::BF16),
        (DType::F32, DType::F16),
        (DType::F32, DType::U8),
        (DType::F32, DType::I16),
        (DType::F16, DType::I8),
        (DType::I32, DType::F32),
        (DType::U8, DType::F16),
        (DType::U8, DType::U8),
    ];
    for (source, dtype) in pairs {
        for precision in [Precision::Fast, Precision::Exact] {
            let clamp = Clamp::unbounded(dtype).with_source(source).unwrap().with_precision(precision);
            for (&scale, &bias) in all.iter().flat_map(|scale| all.iter().map(move |bias| (scale, bias))) {
                let known = clamp.with_affine(scale, bias).unwrap();
                // The identity has a bias of −0 on the host. A fast step keeps elements without it.
                let is_used = known.has_affine() || precision == Precision::Exact;
                let bias = if is_used { bias } else { -0.0 };
                let (scale, bias) = (single(scale), single(bias));
                for (one, other) in
                    [(Number::OnGpu, bias), (scale, Number::OnGpu), (Number::OnGpu, Number::OnGpu)]
                {
                    let on_gpu = clamp.with_scale_bias(one, other).unwrap();
                    resolve.compare(&on_gpu, &known, [Number::Absent, Number::Absent, scale, bias]);
                }
            }
        }
    }
}
