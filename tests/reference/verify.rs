//! `verify::check` finds every fault, and reports nothing else.

use clamp_testing::random::Random;
use clamp_testing::values::pairs;
use wgpu_clamp::verify::{self, Buffers, Report};
use wgpu_clamp::{Clamp, Clamps, DType, Element, Error, Layout, Precision, reference};

use crate::inputs::converting;

/// Calls [`verify::check`] on whole buffers.
pub fn check<'a>(
    clamps: impl Into<Clamps<'a>>,
    src_layout: &Layout,
    src: &[u8],
    dst_layout: &Layout,
    dst_before: &[u8],
    dst_after: &[u8],
) -> Result<Report, Error> {
    verify::check(clamps, Buffers { src_layout, src, dst_layout, dst_before, dst_after })
}

/// A clamp, its layouts and a right result, with gaps and an odd end in the destination.
struct Run {
    clamp: Clamp,
    src_layout: Layout,
    src: Vec<u8>,
    dst_layout: Layout,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Run {
    fn new(dtype: DType) -> Self {
        let mut random = Random(700 + dtype.size() as u64);
        let src_layout = Layout::strided(&[3, 4], &[1, 3], 0).unwrap();
        let dst_layout = Layout::strided(&[3, 4], &[-10, 2], 22).unwrap();
        let clamp = Clamp::unbounded(dtype).with_affine(0.75, 1.0).unwrap();
        // For these elements, no two results that `Fast` allows differ in only one bit.
        let mut bytes = |len: usize| (0..len).map(|_| random.bits().to_le_bytes()[0]).collect::<Vec<u8>>();
        let (src, before) = (bytes(12 * dtype.size()), bytes(30 * dtype.size() + 1));
        let mut after = before.clone();
        reference::apply(clamp, &src_layout, &src, &dst_layout, &mut after).unwrap();
        Self { clamp, src_layout, src, dst_layout, before, after }
    }

    fn check(&self) -> Result<Report, Error> {
        check(self.clamp, &self.src_layout, &self.src, &self.dst_layout, &self.before, &self.after)
    }
}

#[test]
fn every_flipped_bit_is_found() {
    for &dtype in DType::ALL {
        let mut run = Run::new(dtype);
        let report = run.check().unwrap();
        assert_eq!((report.passed(), report.elements, report.matching), (true, 12, 12), "{dtype}: {report}");
        let size = dtype.size();
        let addresses: Vec<usize> = run.dst_layout.addresses().collect();
        for bit in 0..run.after.len() * 8 {
            run.after[bit / 8] ^= 1 << (bit % 8);
            let report = run.check().unwrap();
            if let Some(n) = addresses.iter().position(|address| *address == bit / 8 / size) {
                let difference = report.difference.as_ref().unwrap();
                assert_eq!((&difference.index[..], difference.address), (&[n / 4, n % 4][..], addresses[n]));
                assert_eq!((report.matching, report.stray), (11, None));
                let wrong = difference.got ^ difference.allowed.first();
                assert_eq!(wrong, 1 << (bit % (8 * size)));
            } else {
                let stray = report.stray.unwrap();
                assert_eq!((stray.offset, stray.before), (bit / 8, run.before[bit / 8]));
                assert_eq!(stray.before ^ stray.after, 1 << (bit % 8));
                assert_eq!((report.matching, report.difference.is_none()), (12, true));
            }
            assert!(!report.passed());
            run.after[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn the_first_of_several_is_reported() {
    let mut run = Run::new(DType::I16);
    // Row-major order of the indices, not of the addresses: index [0, 1] lies at 24, [2, 0] at 2.
    for byte in [2 * 2, 24 * 2, 23 * 2, 21 * 2 + 1] {
        run.after[byte] ^= 0x40;
    }
    let report = run.check().unwrap();
    assert_eq!(report.matching, 10);
    assert_eq!(report.difference.as_ref().unwrap().index, [0, 1]);
    assert_eq!(report.stray.unwrap().offset, 43);
}

#[test]
fn either_fast_result_passes_and_exact_takes_one() {
    let ulp = f32::EPSILON;
    let x = 1.0 + ulp;
    let fast = Clamp::unbounded(DType::F32).with_affine(x, -(1.0 + 2.0 * ulp)).unwrap();
    let layout = Layout::packed(&[2]).unwrap();
    let bytes = |values: [f32; 2]| values.map(f32::to_le_bytes).concat();
    let (src, before) = (bytes([x, x]), bytes([9.0, 9.0]));
    let after = bytes([ulp * ulp, 0.0]);
    assert!(check(fast, &layout, &src, &layout, &before, &after).unwrap().passed());
    let exact = fast.with_precision(Precision::Exact);
    for (clamp, after) in [(exact, bytes([ulp * ulp; 2])), (Clamp::unbounded(DType::F32), src.clone())] {
        let report = check(clamp, &layout, &src, &layout, &before, &after).unwrap();
        assert_eq!(report.to_string(), "bit-exact with the CPU reference: 2 of 2 elements");
    }
    let report = check(exact, &layout, &src, &layout, &before, &after).unwrap();
    assert_eq!(report.difference.as_ref().unwrap().allowed.values(), [(ulp * ulp).to_bits64()]);
    let minus = bytes([-0.0, 0.0]);
    assert_eq!(
        check(fast, &layout, &src, &layout, &before, &minus).unwrap().to_string(),
        "differs from the CPU reference: 1 of 2 elements match; first at index [0] (element 0 of the buffer): \
         input 0x3f800001, expected 0x28800000 or 0x00000000, got 0x80000000"
    );
}

#[test]
fn empty_and_scalar_tensors() {
    let clamp = Clamp::new(10_u8, 99);
    let empty = Layout::packed(&[0, 5]).unwrap();
    let report = check(clamp, &empty, &[], &empty, &[1, 2], &[1, 2]).unwrap();
    assert_eq!(report.to_string(), "bit-exact with the CPU reference: 0 of 0 elements");
    assert!(!check(clamp, &empty, &[], &empty, &[1, 2], &[1, 3]).unwrap().passed());
    let scalar = Layout::packed(&[]).unwrap();
    let report = check(clamp, &scalar, &[5], &scalar, &[0], &[5]).unwrap();
    assert!(report.to_string().contains("at index [] (element 0 of the buffer)"), "{report}");
}

/// A report claims that every result is in its allowed set if there is an affine step and a float on either side; else that
/// every result is bit-exact.
#[test]
fn the_claim_of_a_conversion() {
    const SET: &str = "within the allowed set of Precision::Fast";
    const EXACT: &str = "bit-exact with the CPU reference";
    let layout = Layout::packed(&[1]).unwrap();
    let claim = |clamp: Clamp| {
        let mut after = [0; 8];
        reference::apply(clamp, &layout, &[0; 8], &layout, &mut after).unwrap();
        check(clamp, &layout, &[0; 8], &layout, &[0; 8], &after).unwrap().to_string()
    };
    for (source, dtype) in pairs() {
        let plain = converting(source, dtype);
        let step = plain.with_affine(2.0, 0.0).unwrap();
        let of_step = if source.is_float() || dtype.is_float() { SET } else { EXACT };
        for (clamp, claimed) in
            [(step, of_step), (plain, EXACT), (step.with_precision(Precision::Exact), EXACT)]
        {
            assert_eq!(claim(clamp), format!("{claimed}: 1 of 1 elements"), "{source} to {dtype}");
        }
    }
}
