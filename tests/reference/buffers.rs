//! `apply`, `apply_in_place` and `clamp_slice`: addresses, untouched bytes, errors.

use clamp_testing::random::Random;
use half::{bf16, f16};
use wgpu_clamp::{Clamp, Clamps, DType, Element, Error, Layout, Number, Refusal, Scalar, reference};

use crate::inputs::converting;

const CLAMP: Clamp = Clamp::unbounded(DType::U16);

#[test]
fn only_the_elements_of_dst_change() {
    let clamp = Clamp::new(3_u16, 200).with_affine(0.5, 0.0).unwrap();
    let src_layout = Layout::strided(&[2, 3], &[0, -2], 5).unwrap();
    let dst_layout = Layout::strided(&[2, 3], &[1, 3], 1).unwrap();
    let src: Vec<u8> = (0..6_u16).flat_map(|n| (n * 100).to_le_bytes()).collect();
    let mut dst = [0xee; 19];
    reference::apply(&clamp, &src_layout, &src, &dst_layout, &mut dst).unwrap();
    // Each row reads 500, 300, 100.
    let words: Vec<u16> = dst.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert_eq!(words, [0xeeee, 200, 200, 0xeeee, 150, 150, 0xeeee, 50, 50]);
    assert_eq!(dst[18], 0xee);
}

#[test]
fn shared_elements_of_dst_take_the_last_value() {
    let layout = Layout::strided(&[3], &[0], 1).unwrap();
    let mut dst = [0; 3];
    reference::apply(&Clamp::at_most(9_u8), &Layout::packed(&[3]).unwrap(), &[1, 20, 7], &layout, &mut dst)
        .unwrap();
    assert_eq!(dst, [0, 7, 0]);
}

#[test]
fn in_place_equals_out_of_place() {
    for (seed, dtype) in DType::ALL.into_iter().enumerate() {
        let bytes = Random(600 + seed as u64).bytes(8 * 64);
        let layout = Layout::packed(&[6, 9]).unwrap().flip(1).unwrap().permute(&[1, 0]).unwrap();
        let [one, two] = [1, 2].map(|bits| Scalar::from_bits(dtype, bits).unwrap());
        let clamp = Clamp::unbounded(dtype).with_bounds(one, two).unwrap().with_affine(0.75, 3.0).unwrap();
        let (mut out_of_place, mut in_place) = (bytes.clone(), bytes.clone());
        reference::apply(&clamp, &layout, &bytes, &layout, &mut out_of_place).unwrap();
        reference::apply_in_place(&clamp, &layout, &mut in_place).unwrap();
        assert_eq!(in_place, out_of_place);
        for address in layout.addresses() {
            let bits = |bytes: &[u8]| {
                let element = &bytes[address * dtype.size()..][..dtype.size()];
                element.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
            };
            assert_eq!(bits(&in_place), reference::allowed(&clamp, bits(&bytes)).unwrap().first());
        }
    }
}

#[test]
fn an_empty_tensor_needs_nothing() {
    let layout = Layout::strided(&[4, 0], &[1000, 1], 77).unwrap();
    reference::apply(&CLAMP, &layout, &[], &layout, &mut []).unwrap();
    reference::apply_in_place(&CLAMP, &layout, &mut []).unwrap();
}

/// An offset moves a packed tensor and all views of it.
#[test]
fn a_packed_tensor_begins_where_it_is_told() {
    let made = |offset| {
        let tensor = Layout::packed_at(&[4, 6], offset).unwrap();
        let crop = tensor.slice(0, 1..3).unwrap().slice(1, 2..5).unwrap();
        [
            tensor,
            crop,
            crop.flip(0).unwrap(),
            crop.step(1, 2).unwrap(),
            crop.flip(1).unwrap().permute(&[1, 0]).unwrap(),
        ]
    };
    for (behind, first) in made(100).into_iter().zip(made(0)) {
        assert!(behind.addresses().eq(first.addresses().map(|address| address + 100)), "{behind}");
    }
    assert_eq!(made(0)[0], Layout::packed(&[4, 6]).unwrap());
    assert!(matches!(
        Layout::packed_at(&[2], isize::MAX as usize),
        Err(Error::Argument(Refusal { argument: "offset", .. }))
    ));
}

/// The message of a refusal.
fn said(result: Result<(), Error>) -> String {
    result.unwrap_err().to_string()
}

/// The message for bytes that end before a layout's last element.
fn too_small(argument: &str, dtype: DType, layout: Layout, needed: usize, size: usize) -> String {
    format!(
        "{argument}: {dtype} elements of {layout} need a buffer of {needed} bytes, this one has {size}; shape, strides \
         and offset count elements"
    )
}

#[test]
fn nothing_is_written_on_an_error() {
    let packed = |shape: &[usize]| Layout::packed(shape).unwrap();
    let mut dst = [0xee; 8];
    let too_small = |argument, layout, needed, size| too_small(argument, CLAMP.dtype(), layout, needed, size);
    let far = Layout::strided(&[3], &[-1], 4).unwrap();
    let shapes = "dst: its shape [4] differs from that of src, [2, 2]; they must be equal (see `permute`, `broadcast_to`)";
    for (src_layout, src, dst_layout, refused) in [
        (packed(&[2, 2]), 8, packed(&[4]), shapes.to_owned()),
        (packed(&[3]), 5, packed(&[3]), too_small("src", packed(&[3]), 6, 5)),
        (packed(&[3]), 6, far, too_small("dst", far, 10, 8)),
    ] {
        let result = reference::apply(&CLAMP, &src_layout, &vec![0; src], &dst_layout, &mut dst);
        assert_eq!(said(result), refused);
    }
    let in_place = reference::apply_in_place(&CLAMP, &packed(&[5]), &mut dst);
    assert_eq!(said(in_place), too_small("bytes", packed(&[5]), 10, 8));
    let unreachable = Layout::strided(&[2], &[isize::MAX], 0).unwrap();
    for dtype in DType::ALL {
        let error = reference::apply_in_place(&Clamp::unbounded(dtype), &unreachable, &mut dst).unwrap_err();
        assert!(matches!(error, Error::Buffer(Refusal { argument: "bytes", .. })), "{error}");
        assert!(
            error.to_string().contains("this one has 8; shape, strides and offset count elements"),
            "{error}"
        );
    }
    assert_eq!(dst, [0xee; 8]);
}

#[test]
fn slices_of_every_type() {
    fn check<T: Element + PartialEq + std::fmt::Debug>(min: T, x: T) {
        let mut dst = [x; 2];
        reference::clamp_slice(&Clamp::at_least(min), &[min, x], &mut dst).unwrap();
        assert_eq!(dst, [min, min]);
    }
    check(1.5_f32, -2.0);
    check(1.5_f64, -2.0);
    check(f16::ONE, f16::NEG_ONE);
    check(bf16::ONE, bf16::NEG_ONE);
    check(3_i8, -4);
    check(300_i16, -400);
    check(70_000_i32, -70_000);
    check(1_i64 << 40, -1);
    check(200_u8, 5);
    check(60_000_u16, 5);
    check(u32::MAX, 5);
    check(u64::MAX, 5);
}

/// The message for elements of dst that do not have the dtype of the clamp.
fn wrong_dst(given: DType, dtype: DType) -> String {
    format!(
        "dst: {given} is not the dtype of the clamp, {dtype}; a clamp has the dtype of its bounds (literals without a \
         suffix are f64 and i32), `Clamp::with_source` converts from another"
    )
}

#[test]
fn slices_that_do_not_fit() {
    let mut dst = [7_u32; 2];
    let clamp = Clamp::at_most(1_i32);
    let refused = wrong_dst(DType::U32, DType::I32);
    assert_eq!(said(reference::clamp_slice(&clamp, &[9_i32, 9], &mut dst)), refused);
    assert_eq!(said(reference::clamp_slice(&clamp, &[9_u32, 9], &mut dst)), refused.replace("dst", "src"));
    let short = reference::clamp_slice(&Clamp::at_most(1_u32), &[9_u32], &mut dst);
    assert_eq!(said(short), "dst: 2 elements given; 1 needed");
    assert_eq!(dst, [7, 7]);
}

/// Each side has elements of its own size.
#[test]
fn from_one_dtype_to_another() {
    let clamp = Clamp::new(-1.5_f32, 2.0).with_source(DType::I8).unwrap();
    let src_layout = Layout::strided(&[3], &[2], 1).unwrap();
    let dst_layout = Layout::strided(&[3], &[-1], 3).unwrap();
    let src: [u8; 6] = [9, 1, 9, 0x80, 9, 7];
    let mut dst = [0xee; 17];
    reference::apply(&clamp, &src_layout, &src, &dst_layout, &mut dst).unwrap();
    let expected = [2.0_f32, -1.5, 1.0].map(f32::to_le_bytes).concat();
    assert_eq!((&dst[..4], &dst[4..16], dst[16]), (&[0xee; 4][..], &expected[..], 0xee));

    let mut dst = [0.0_f32; 2];
    reference::clamp_slice(&clamp, &[1_i8, -128], &mut dst).unwrap();
    assert_eq!(dst.map(f32::to_bits), [1.0_f32, -1.5].map(f32::to_bits));
    let to_f16 = converting(DType::U16, DType::F16);
    let mut dst = [f16::ZERO; 2];
    reference::clamp_slice(&to_f16, &[2049_u16, 65535], &mut dst).unwrap();
    assert_eq!(dst, [f16::from_f32(2048.0), f16::INFINITY]);
}

#[test]
fn a_conversion_that_does_not_fit() {
    let clamp = converting(DType::U16, DType::F32);
    let layout = Layout::packed(&[3]).unwrap();
    let mut dst = [0xee; 12];
    let too_small = |argument, dtype, needed, size| too_small(argument, dtype, layout, needed, size);
    // 6 bytes of source and 12 of destination are needed.
    reference::apply(&clamp, &layout, &[0; 6], &layout, &mut dst).unwrap();
    dst = [0xee; 12];
    let src = reference::apply(&clamp, &layout, &[0; 5], &layout, &mut dst);
    assert_eq!(said(src), too_small("src", DType::U16, 6, 5));
    let short = reference::apply(&clamp, &layout, &[0; 6], &layout, &mut dst[..11]);
    assert_eq!(said(short), too_small("dst", DType::F32, 12, 11));

    let in_place = reference::apply_in_place(&clamp, &layout, &mut dst);
    assert_eq!(
        said(in_place.clone()),
        "bytes: u16 to f32 in place; source and destination elements of one size are needed, else views that share no \
         byte, or two buffers"
    );
    let channels = [clamp; 3];
    assert_eq!(reference::apply_in_place(Clamps::along(0, &channels), &layout, &mut dst), in_place);

    let mut slice = [7.0_f32; 2];
    assert_eq!(
        said(reference::clamp_slice(&clamp, &[1.0_f32, 2.0], &mut slice)),
        "src: f32 is not the dtype of the clamp's source, u16; `Clamp::with_source` names the dtype of src, the bounds have that of dst"
    );
    let dst_u16 = reference::clamp_slice(&clamp, &[1_u16, 2], &mut [0_u16; 2]);
    assert_eq!(said(dst_u16), wrong_dst(DType::U16, DType::F32));
    let on_gpu = clamp.with_bounds(Number::OnGpu, Number::Absent).unwrap();
    let refused = reference::clamp_slice(&on_gpu, &[1_u16, 2], &mut slice);
    assert_eq!(
        said(refused),
        "min: the number is `Number::OnGpu`, and this call takes no slot; give its value with `Clamp::with_bounds`, or \
         clamp a tensor on the GPU with `Operands::with_min`"
    );
    assert_eq!((dst, slice), ([0xee; 12], [7.0; 2]));
}
