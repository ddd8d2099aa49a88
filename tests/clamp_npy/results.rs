//! Results: `numpy.clip`, scale and bias, and conversions.

use std::fs;

use clamp_testing::values::bits_of;
use wgpu_clamp::DType;

use crate::example::{Folder, data, read};

/// Dtype, order, shape and every byte of the data equal the file that `NumPy` wrote.
#[test]
fn numpy_clip() {
    let folder = Folder::new();
    let cases = fs::read_to_string(data("cases.tsv")).unwrap();
    assert_eq!(cases.lines().count(), 81);
    for case in cases.lines() {
        let (name, options) = case.split_once('\t').unwrap();
        let options: Vec<_> = options.split(' ').collect();
        let clamped = folder.clamped(&options, data(&format!("{name}.npy")));
        assert!(clamped == read(&data(&format!("{name}.out.npy"))), "{name}");
    }
}

/// Three slices and a part of one, with an odd number of elements. Slices out of order would differ.
#[test]
fn many_slices() {
    const ELEMENTS: u32 = (12 << 20) + 12_345;
    let folder = Folder::new();
    let contents =
        |f: fn(u32) -> u32| -> Vec<u8> { (0..ELEMENTS).flat_map(|i| f(i).to_be_bytes()).collect() };
    let header = format!("{{'descr': '>u4', 'fortran_order': True, 'shape': ({ELEMENTS},)}}");
    let input = folder.input(&header, &contents(|i| i));
    let (.., clamped) = folder.clamped(&["--min=5000000", "--max=11000000"], input);
    assert!(clamped == contents(|i| i.clamp(5_000_000, 11_000_000)));
}

/// The bytes of the result for one element.
fn clamp(descr: &str, element: &[u8], options: &str) -> Vec<u8> {
    let folder = Folder::new();
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ()}}");
    folder.clamped(&options.split(' ').collect::<Vec<_>>(), folder.input(&header, element)).3
}

#[test]
fn bounds_of_floats_are_rounded_to_nearest() {
    assert_eq!(clamp("<f4", &[0; 4], "--min 16777217"), 16_777_216_f32.to_le_bytes());
    assert_eq!(clamp("<f4", &[0; 4], "--min 16777219"), 16_777_220_f32.to_le_bytes());
    assert_eq!(clamp("<f4", &[0; 4], "--min 0.1"), 0.1_f32.to_le_bytes());
    assert_eq!(clamp("<f8", &[0; 8], "--min 0.1"), 0.1_f64.to_le_bytes());
    assert_eq!(clamp("<f2", &[0; 2], "--min 65519"), 0x7bff_u16.to_le_bytes());
    assert_eq!(clamp("<f2", &[0; 2], "--min 5.960464477539063e-8"), 1_u16.to_le_bytes());
}

#[test]
fn scale_and_bias() {
    assert_eq!(clamp("|u1", &[15], "--scale 1.5 --bias -20 --max 200"), [2]);
    assert_eq!(clamp("|u1", &[250], "--scale 1.5 --bias -20 --max 200"), [200]);
    assert_eq!(clamp("|u1", &[100], "--scale 1.5"), [150]);
    assert_eq!(clamp("|u1", &[100], "--bias -1"), [99]);
    assert_eq!(clamp("|u1", &[5], "--min 9 --max 3"), [9]);
    // 0.1 as f32 or f64.
    assert_eq!(clamp("<f4", &[0; 4], "--bias 0.1"), 0.1_f32.to_le_bytes());
    assert_eq!(clamp("<f8", &[0; 8], "--bias 0.1"), 0.1_f64.to_le_bytes());
    // Rounded once: with a rounded product it would be 0.
    let rounded_once = 2.0_f32.powi(-25).to_le_bytes();
    assert_eq!(clamp("<f4", &3.0_f32.to_le_bytes(), "--scale 0.3333333432674408 --bias -1"), rounded_once);
    let nan = clamp("<f4", &f32::NAN.to_le_bytes(), "--min 1 --max 2");
    assert!(f32::from_le_bytes(nan.try_into().unwrap()).is_nan());
}

/// `NumPy`'s code of a dtype, as in `>f2`. A byte has no order.
fn code(dtype: DType, order: &str) -> String {
    let order = if dtype.size() == 1 { "|" } else { order };
    format!("{order}{}{}", &dtype.name()[..1], dtype.size())
}

/// The bytes of `numbers` as elements.
fn elements(dtype: DType, order: &str, numbers: [u8; 8]) -> Vec<u8> {
    let bytes = |x: u8| {
        let mut bytes = bits_of(dtype, x.into()).to_le_bytes()[..dtype.size()].to_vec();
        if order == ">" {
            bytes.reverse();
        }
        bytes
    };
    numbers.into_iter().flat_map(bytes).collect()
}

/// `NumPy` has all dtypes that convert, except BF16.
#[test]
fn every_pair_of_dtypes() {
    let folder = Folder::new();
    let dtypes = || DType::CONVERTIBLE.into_iter().filter(|dtype| *dtype != DType::BF16);
    for (from, to) in dtypes().flat_map(|from| dtypes().map(move |to| (from, to))) {
        // One-byte input has no byte order, so the output is little-endian.
        for order in if from.size() == 1 { &["<"][..] } else { &["<", ">"] } {
            let descr = code(from, order);
            let header = format!("{{'descr': '{descr}', 'fortran_order': True, 'shape': (2, 4), }}");
            let input = folder.input(&header, &elements(from, order, [0, 1, 2, 3, 99, 100, 101, 127]));
            let clamped = folder.clamped(&["--dtype", to.name(), "--min=2", "--max=100"], input);
            let dtype = npyz::DType::new_scalar(code(to, order).parse().unwrap());
            let bytes = elements(to, order, [2, 2, 2, 3, 99, 100, 100, 100]);
            assert_eq!(clamped, (dtype, npyz::Order::Fortran, vec![2, 4], bytes), "{from} to {to}");
        }
    }
}

/// Rounding, saturation, NaN and the affine step between dtypes. Elements convert as by Rust's `as`.
#[test]
fn conversions_truncate_and_saturate() {
    let folder = Folder::new();
    let numbers = [f32::NAN, f32::INFINITY, -1e9, 2.5, 3.5, -0.5, 254.6, 7.0];
    let floats: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8,)}";
    let input = folder.input(header, &floats);
    for (options, expected) in [
        (&["--dtype=u8"][..], numbers.map(|x| x as u8)),
        (&["--dtype=u8", "--max=200"], [0, 200, 0, 2, 3, 0, 200, 7]),
        (&["--dtype=u8", "--scale=2", "--bias=0.5"], [0, 255, 0, 5, 7, 0, 255, 14]),
        (&["--dtype=i8", "--min=-3", "--max=3"], [0, 3, 0xfd, 2, 3, 0, 3, 3]),
    ] {
        assert_eq!(folder.clamped(options, &input).3, expected, "{options:?}");
    }
}

/// Two slices and a part of one, from small elements to large ones.
#[test]
fn many_slices_of_another_dtype() {
    const ELEMENTS: usize = (8 << 20) + 12_345;
    let folder = Folder::new();
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({ELEMENTS},)}}");
    let bytes: Vec<u8> = (0..ELEMENTS).map(|i| (i % 251) as u8).collect();
    let (.., floats) = folder.clamped(&["--dtype=f32", "--max=200"], folder.input(&header, &bytes));
    assert_eq!(floats.len(), 4 * ELEMENTS);
    let right = |(byte, float): (&u8, &[u8])| float == f32::from(*byte.min(&200)).to_le_bytes();
    assert!(bytes.iter().zip(floats.chunks(4)).all(right));
}
