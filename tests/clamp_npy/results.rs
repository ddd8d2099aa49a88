//! Results: `numpy.clip`, scale and bias, and conversions.

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

/// Elements of each size in other files that `NumPy` writes or reads: big-endian, in Fortran order, in versions 1.0 and 3.0
/// of the format, without dimensions, without elements.
#[test]
fn every_form_of_a_file() {
    let folder = Folder::new();
    for (dtype, bounds) in [BOUNDS[0], BOUNDS[1], BOUNDS[9], BOUNDS[7]] {
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

/// Scale, bias and another dtype, by the numbers of the command line. Elements convert as by Rust's `as`.
#[test]
fn steps_and_conversions() {
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
    // A scale and a bias of an F64 have 64 bits, and bounds are rounded to nearest.
    let header = |descr| format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ()}}");
    for (descr, option, expected) in [
        ("<f8", "--bias=0.1", 0.1_f64.to_le_bytes().to_vec()),
        ("<f4", "--bias=0.1", 0.1_f32.to_le_bytes().to_vec()),
        ("<f4", "--min=16777219", 16_777_220_f32.to_le_bytes().to_vec()),
        ("<f2", "--min=5.960464477539063e-8", vec![1, 0]),
    ] {
        let input = folder.input(&header(descr), &vec![0; expected.len()]);
        assert_eq!(folder.clamped(&[option], input).3, expected, "{descr} {option}");
    }
    // To elements of another size, in the input's order of bytes and dimensions.
    let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }";
    let input = folder.input(header, &[0, 1, 0xff, 0xfe, 0, 7, 0x7f, 0xff]);
    let (dtype, order, shape, bytes) = folder.clamped(&["--dtype=f32", "--max=9"], input);
    let floats = [1.0_f32, -2.0, 7.0, 9.0].map(f32::to_be_bytes).concat();
    assert_eq!(
        (dtype.descr(), order, shape, bytes),
        ("'>f4'".to_owned(), npyz::Order::Fortran, vec![2, 2], floats)
    );
}
