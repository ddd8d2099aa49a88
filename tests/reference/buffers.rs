//! `apply` and `clamp_slice`: addresses and untouched bytes.

use half::f16;
use wgpu_clamp::{Clamp, DType, Layout, reference};

use crate::inputs::converting;

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
