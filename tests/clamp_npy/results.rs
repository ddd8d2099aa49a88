//! Results: `numpy.clip`, scale and bias, and conversions.

use clamp_testing::values::bits_of;
use wgpu_clamp::DType;

use crate::example::{Folder, data, read};

/// `NumPy`'s codes of the dtypes, and the bounds of `NumPy`'s results.
const BOUNDS: [(&str, [&str; 2]); 11] = [
    ("i1", ["--min=-100", "--max=85"]),
    ("i2", ["--min=-20000", "--max=4660"]),
    ("i4", ["--min=-16777217", "--max=16777217"]),
    ("i8", ["--min=-9007199254740993", "--max=9007199254740993"]),
    ("u1", ["--min=3", "--max=200"]),
    ("u2", ["--min=3", "--max=65534"]),
    ("u4", ["--min=16777217", "--max=4294967293"]),
    ("u8", ["--min=9007199254740993", "--max=18446744073709551613"]),
    ("f2", ["--min=-1.1", "--max=2.3"]),
    ("f4", ["--min=-1.1", "--max=2.3"]),
    ("f8", ["--min=-1.1", "--max=2.3"]),
];

/// Dtype, order, shape and every byte of the data equal the file that `NumPy` wrote.
#[test]
fn numpy_clip() {
    let folder = Folder::new();
    let clamped = |options: &[&str], input: &str| folder.clamped(options, data(&format!("{input}.npy")));
    for (dtype, bounds) in BOUNDS {
        assert!(clamped(&bounds, dtype) == read(&data(&format!("{dtype}.out.npy"))), "{dtype}");
    }
    // One bound, and zeros of both signs.
    for (name, options) in
        [("min", &["--min=0.5"][..]), ("max", &["--max=-0.5"]), ("zeros", &["--min=-0.0", "--max=0.0"])]
    {
        assert!(clamped(options, "f4") == read(&data(&format!("f4_{name}.out.npy"))), "{name}");
    }
}

/// The same numbers in other files that `NumPy` writes or reads: big-endian, in Fortran order, in versions 1.0 and 3.0 of the
/// format, without dimensions, without elements.
#[test]
fn every_form_of_a_file() {
    let folder = Folder::new();
    for (dtype, bounds) in BOUNDS {
        let [(kind, _, _, src), (.., dst)] =
            ["npy", "out.npy"].map(|end| read(&data(&format!("{dtype}.{end}"))));
        let size = src.len() / 120;
        let descr = kind.descr();
        let header = |descr: &str, fortran: &str, shape: &str| {
            format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}")
        };
        let plain = header(&descr, "False", "(120,)");
        for version in [1, 3] {
            let input = folder.versioned(version, &plain, &src);
            assert_eq!(
                folder.clamped(&bounds, input),
                (kind.clone(), npyz::Order::C, vec![120], dst.clone())
            );
        }
        // Elements stay in their order, whatever the order of dimensions.
        for (fortran, order) in [("False", npyz::Order::C), ("True", npyz::Order::Fortran)] {
            let input = folder.input(&header(&descr, fortran, "(4, 5, 6)"), &src);
            assert_eq!(folder.clamped(&bounds, input), (kind.clone(), order, vec![4, 5, 6], dst.clone()));
        }
        let input = folder.input(&header(&descr, "False", "()"), &src[3 * size..4 * size]);
        let expected = (kind.clone(), npyz::Order::C, vec![], dst[3 * size..4 * size].to_vec());
        assert_eq!(folder.clamped(&bounds, input), expected);
        let input = folder.input(&header(&descr, "False", "(3, 0, 2)"), &[]);
        assert_eq!(folder.clamped(&bounds, input), (kind, npyz::Order::C, vec![3, 0, 2], vec![]));
        if size > 1 {
            let swapped = |bytes: &[u8]| -> Vec<u8> {
                bytes.chunks(size).flat_map(|element| element.iter().rev().copied()).collect()
            };
            let big = format!(">{dtype}");
            let input = folder.input(&header(&format!("'{big}'"), "False", "(8, 15)"), &swapped(&src));
            let kind = npyz::DType::new_scalar(big.parse().unwrap());
            assert_eq!(folder.clamped(&bounds, input), (kind, npyz::Order::C, vec![8, 15], swapped(&dst)));
        }
    }
}

/// The longest and the shortest padding of a header that `NumPy` writes (20 blanks for the extent that may grow, and 64 or 1 for
/// the alignment), and a header that it reads and never writes.
#[test]
fn headers_of_any_padding() {
    let folder = Folder::new();
    let padded = |last: u64, blanks: usize| {
        let shape = format!("{}{last}", "1, ".repeat(13));
        let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({shape}), }}");
        let header = format!("{header}{}\n", " ".repeat(blanks));
        assert!((10 + header.len()).is_multiple_of(64), "{header}");
        (header, [vec![1; 13], vec![last]].concat())
    };
    let odd = "{\"shape\":( 1,10 ) , 'fortran_order':False,'descr':'|u1'}".to_owned();
    let kind = npyz::DType::new_scalar("|u1".parse().unwrap());
    for (header, shape) in [padded(10, 21), padded(100, 84), (odd, vec![1, 10])] {
        let bytes: Vec<u8> = (0..shape[shape.len() - 1]).map(|n| n as u8).collect();
        let clamped = bytes.iter().map(|byte| *byte.max(&3)).collect::<Vec<_>>();
        let got = folder.clamped(&["--min=3"], folder.input(&header, &bytes));
        assert_eq!(got, (kind.clone(), npyz::Order::C, shape, clamped), "{header}");
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
