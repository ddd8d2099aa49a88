//! What is computed: `numpy.clip`, and each option.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::example::{command, data, run, succeeded, with_header};

/// Every byte of the file is what `NumPy` wrote: its header and the results of `numpy.clip`.
fn all_cases(run: impl Fn(&[&str], &Path, &Path) -> Output) {
    let folder = TempDir::new().unwrap();
    let cases = fs::read_to_string(data("cases.tsv")).unwrap();
    assert_eq!(cases.lines().count(), 84);
    for case in cases.lines() {
        let (name, options) = case.split_once('\t').unwrap();
        let options: Vec<_> = options.split(' ').collect();
        let out = folder.path().join(name);
        succeeded(&run(&options, &data(&format!("{name}.npy")), &out));
        assert!(fs::read(&out).unwrap() == fs::read(data(&format!("{name}.out.npy"))).unwrap(), "{name}");
    }
}

#[test]
fn numpy_clip_on_the_gpu() {
    all_cases(|options, input, output| {
        let run = command(options, input, output).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(said.contains("adapter: ") || said.contains(": 0 elements"), "{run:?}");
        run
    });
}

#[test]
fn numpy_clip_without_an_adapter() {
    all_cases(|options, input, output| {
        let run = run(options, input, output);
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(said.contains("the CPU reference does the work") || said.contains(": 0 elements"), "{run:?}");
        run
    });
}

/// More than the buffers hold, and no multiple of anything: with slices out of order or mixed up, it would differ.
#[test]
fn many_slices() {
    const ELEMENTS: u32 = (150 << 20) / 4 + 12_345;
    let folder = TempDir::new().unwrap();
    let contents =
        |f: fn(u32) -> u32| -> Vec<u8> { (0..ELEMENTS).flat_map(|i| f(i).to_be_bytes()).collect() };
    let header = format!("{{'descr': '>u4', 'fortran_order': True, 'shape': ({ELEMENTS},)}}");
    let input = with_header(&folder, &header, &contents(|i| i));
    let out = folder.path().join("out.npy");
    succeeded(&command(&["--min=5000000", "--max=39000000"], &input, &out).output().unwrap());
    let out = fs::read(out).unwrap();
    let expected = contents(|i| i.clamp(5_000_000, 39_000_000));
    assert_eq!(out.len() - expected.len(), 128);
    assert!(out[128..] == expected);
}

/// The bits of one result, which is the same for every element.
fn constant(folder: &TempDir, dtype: &str, options: &[&str]) -> Vec<u8> {
    let out = folder.path().join("out.npy");
    succeeded(&run(options, data(&format!("{dtype}_scalar.npy")), &out));
    fs::read(&out).unwrap()[128..].to_vec()
}

#[test]
fn bounds_are_rounded_once_to_nearest() {
    let folder = TempDir::new().unwrap();
    let bound = |dtype: &str, text: &str| {
        // MinWins, so every element becomes `text`.
        constant(&folder, dtype, &["--min", text, "--max=-inf", "--nan=min"])
    };
    assert_eq!(bound("f4", "16777217"), 16_777_216_f32.to_le_bytes());
    assert_eq!(bound("f4", "16777219"), 16_777_220_f32.to_le_bytes());
    assert_eq!(bound("f4", "0.1"), 0.1_f32.to_le_bytes());
    assert_eq!(bound("f8", "0.1"), 0.1_f64.to_le_bytes());
    // By way of f32 it would be a tie, and 1.
    assert_eq!(bound("f2", "1.00048828126"), 0x3c01_u16.to_le_bytes());
    assert_eq!(bound("f2", "1.0004882812500003"), 0x3c01_u16.to_le_bytes());
    assert_eq!(bound("f2", "1.00048828125"), 0x3c00_u16.to_le_bytes());
    assert_eq!(bound("f2", "65519"), 0x7bff_u16.to_le_bytes());
    assert_eq!(bound("f2", "inf"), 0x7c00_u16.to_le_bytes());
    assert_eq!(bound("f2", "5.960464477539063e-8"), 1_u16.to_le_bytes());
}

/// Where the device computes fused or not, both are allowed to `--precision fast`, 2^-25 and 0.
#[test]
fn scale_and_bias_are_exact_on_the_gpu() {
    let folder = TempDir::new().unwrap();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
    let (input, out) = (with_header(&folder, header, &3.0_f32.to_le_bytes()), folder.path().join("out.npy"));
    succeeded(&command(&["--scale=0.3333333432674408", "--bias=-1"], input, &out).output().unwrap());
    assert_eq!(fs::read(&out).unwrap()[128..], 2.0_f32.powi(-25).to_le_bytes());
}

/// One element for each part of the command line that ends up in a `Clamp`; the values are from the documentation.
#[test]
fn options_and_standards() {
    let folder = TempDir::new().unwrap();
    let clamp = |descr: &str, data: &[u8], options: &str| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ()}}");
        let (input, out) = (with_header(&folder, &header, data), folder.path().join("out.npy"));
        succeeded(&run(&options.split(' ').collect::<Vec<_>>(), input, &out));
        fs::read(&out).unwrap()[128..].to_vec()
    };
    let u1 = |x: u8, options: &str| clamp("|u1", &[x], options)[0];
    let i2 = |x: i16, options: &str| {
        i16::from_le_bytes(clamp("<i2", &x.to_le_bytes(), options).try_into().unwrap())
    };
    let f4 = |x: f32, options: &str| {
        f32::from_le_bytes(clamp("<f4", &x.to_le_bytes(), options).try_into().unwrap())
    };
    let f8 = |x: f64, options: &str| {
        f64::from_le_bytes(clamp("<f8", &x.to_le_bytes(), options).try_into().unwrap())
    };
    let bits = |value: f32| value.to_bits();

    assert_eq!(u1(15, "--scale 1.5 --bias -20 --max 200"), 2);
    assert_eq!(u1(250, "--scale 1.5 --bias -20 --max 200"), 200);
    assert_eq!(u1(100, "--scale 1.5"), 150);
    assert_eq!(u1(100, "--bias -1"), 99);
    // 0.1 as f32 or f64.
    assert_eq!(bits(f4(0.0, "--bias 0.1")), bits(0.1));
    assert_eq!(f8(0.0, "--bias 0.1").to_bits(), 0.1_f64.to_bits());
    // Rounded once, and by the device: where the reference stands in, the same.
    assert_eq!(bits(f4(3.0, "--scale 0.3333333432674408 --bias -1")), bits(2.0_f32.powi(-25)));
    assert_eq!(
        bits(f4(3.0, "--scale 0.3333333432674408 --bias -1 --precision fast")),
        bits(2.0_f32.powi(-25))
    );
    assert_eq!(u1(5, "--min 9 --max 3"), 9);
    assert_eq!(u1(5, "--min 9 --max 3 --order min"), 9);
    assert_eq!(u1(5, "--min 9 --max 3 --order max"), 3);
    assert!(f4(f32::NAN, "--min 1 --max 2").is_nan());
    assert!(f4(f32::NAN, "--min 1 --max 2 --nan keep").is_nan());
    assert_eq!(bits(f4(f32::NAN, "--min 1 --max 2 --nan min")), bits(1.0));
    assert_eq!(bits(f4(f32::NAN, "--min 1 --max 2 --nan max")), bits(2.0));
    assert_eq!(bits(f4(f32::NAN, "--nan max")), bits(f32::INFINITY));
    assert_eq!(bits(f4(5.0, "--min nan --max nan")), bits(5.0));

    assert_eq!(u1(0, "--min 0.8 --max 3.8 --standard openvino"), 1);
    assert_eq!(u1(9, "--max 3.5 --standard webnn"), 4);
    assert_eq!(u1(9, "--min 0 --max 2.5 --standard webnn"), 2);
    assert_eq!(u1(0, "--min 0.8 --max 3.8 --standard directml"), 0);
    assert_eq!(u1(9, "--min 0.8 --max 3.8 --standard directml:2.1"), 3);
    assert_eq!(i2(10, "--min 0 --max 100 --scale 2 --bias 1 --standard directml"), 21);
    assert_eq!(i2(10, "--min 0 --max 20 --scale 2 --bias 1 --standard clip1"), 20);
    assert_eq!(i2(10, "--min 0x10 --max 0x14 --standard clip1:5.0"), 16);
    assert_eq!(i2(10, "--min 12 --max 5 --standard clip1"), 12);
    assert_eq!(i2(10, "--min 12 --max 5 --standard onnx"), 5);
    assert_eq!(i2(10, "--max 5 --standard onnx:12"), 5);
    assert_eq!(bits(f4(f32::INFINITY, "--min 0 --standard onnx:11")), bits(f32::MAX));
    assert_eq!(f8(f64::INFINITY, "--min 0 --standard onnx:6").to_bits(), f64::from(f32::MAX).to_bits());
    assert_eq!(f8(f64::INFINITY, "--max 0.1 --standard onnx:1").to_bits(), f64::from(0.1_f32).to_bits());
    assert_eq!(f8(f64::INFINITY, "--max 0.1 --standard onnx:13").to_bits(), 0.1_f64.to_bits());
    assert_eq!(bits(f4(f32::NAN, "--min 1 --max 2 --standard onednn")), bits(1.0));
    assert_eq!(bits(f4(f32::NAN, "--min 1 --max 2 --standard directml")), bits(2.0));
    assert!(f4(f32::NAN, "--min 1 --max 2 --standard openvino").is_nan());
}

/// The elements that convert and that `NumPy` has: code, name, size.
const CONVERTIBLE: [(&str, &str, usize); 6] = [
    ("u1", "u8", 1),
    ("i1", "i8", 1),
    ("u2", "u16", 2),
    ("i2", "i16", 2),
    ("f2", "f16", 2),
    ("f4", "f32", 4),
];

/// The bytes of `numbers` as elements, in the byte order that is asked for.
fn elements(code: &str, big_endian: bool, numbers: &[i16]) -> Vec<u8> {
    let bytes = |&x: &i16| {
        let mut bytes = match code {
            "u1" => u8::try_from(x).unwrap().to_le_bytes().to_vec(),
            "i1" => i8::try_from(x).unwrap().to_le_bytes().to_vec(),
            "u2" => u16::try_from(x).unwrap().to_le_bytes().to_vec(),
            "i2" => x.to_le_bytes().to_vec(),
            "f2" => half::f16::from_f32(x.into()).to_le_bytes().to_vec(),
            _ => f32::from(x).to_le_bytes().to_vec(),
        };
        if big_endian {
            bytes.reverse();
        }
        bytes
    };
    numbers.iter().flat_map(bytes).collect()
}

fn all_pairs(run: impl Fn(&[&str], &Path, &Path) -> Output) {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let numbers = [0, 1, 2, 3, 99, 100, 101, 127];
    let clamped = [2, 2, 2, 3, 99, 100, 100, 100];
    for (from, _, from_size) in CONVERTIBLE {
        for (to, name, to_size) in CONVERTIBLE {
            for big_endian in [false, true] {
                let header = |code: &str, size| {
                    let order = if size == 1 { "|" } else { ["<", ">"][usize::from(big_endian)] };
                    format!("{{'descr': '{order}{code}', 'fortran_order': True, 'shape': (2, 4), }}")
                };
                // A byte has no order to hand on, so that of the result is little-endian.
                if big_endian && from_size == 1 {
                    continue;
                }
                let input =
                    with_header(&folder, &header(from, from_size), &elements(from, big_endian, &numbers));
                succeeded(&run(&["--dtype", name, "--min=2", "--max=100"], &input, &out));
                let written = fs::read(&out).unwrap();
                let said = String::from_utf8_lossy(&written[10..128]);
                assert!(said.starts_with(&header(to, to_size)), "{from} to {to}: {said}");
                assert_eq!(written[128..], elements(to, big_endian, &clamped), "{from} to {to}");
            }
        }
    }
}

#[test]
fn every_pair_of_dtypes_on_the_gpu() {
    all_pairs(|options, input, output| {
        let run = command(options, input, output).output().unwrap();
        assert!(String::from_utf8_lossy(&run.stdout).contains("adapter: "), "{run:?}");
        run
    });
}

#[test]
fn every_pair_of_dtypes_without_an_adapter() {
    all_pairs(|options, input, output| run(options, input, output));
}

/// Rounding, saturation, NaN and the affine step between dtypes, on the GPU and without; values as `as` of Rust has
/// them.
#[test]
fn conversions_follow_their_options() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let numbers = [f32::NAN, f32::INFINITY, -1e9, 2.5, 3.5, -0.5, 254.6, 7.0];
    let floats: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8,)}";
    let input = with_header(&folder, header, &floats);
    for (options, expected) in [
        (&["--dtype=u8"][..], numbers.map(|x| x as u8)),
        (&["--dtype=uint8", "--rounding=zero"], numbers.map(|x| x as u8)),
        (&["--dtype=u8", "--rounding=even"], numbers.map(|x| x.round_ties_even() as u8)),
        (&["--dtype=u8", "--nan=max", "--max=200"], [200, 200, 0, 2, 3, 0, 200, 7]),
        (&["--dtype=u8", "--scale=2", "--bias=0.5", "--rounding=even"], [0, 255, 0, 6, 8, 0, 255, 14]),
        (&["--dtype=i8", "--min=-3", "--max=3"], [0, 3, 0xfd, 2, 3, 0, 3, 3]),
    ] {
        for run in [run(options, &input, &out), command(options, &input, &out).output().unwrap()] {
            succeeded(&run);
            assert_eq!(fs::read(&out).unwrap()[128..], expected, "{options:?}: {run:?}");
        }
    }
    let said = run(&["--dtype=f16"], &input, &out);
    let said = String::from_utf8_lossy(&said.stdout);
    assert!(said.contains("out.npy: 8 elements of f16, 16 B, in "), "{said}");

    // Without another dtype too.
    let header = "{'descr': '|i1', 'fortran_order': False, 'shape': (4,)}";
    let input = with_header(&folder, header, &[3, 5, 7, 0xfd]);
    succeeded(&run(&["--scale=0.5", "--rounding=even"], &input, &out));
    assert_eq!(fs::read(&out).unwrap()[128..], [2, 2, 4, 0xfe]);
}

/// More than the buffers hold, from small elements to large ones.
#[test]
fn many_slices_of_another_dtype() {
    const ELEMENTS: usize = (40 << 20) + 12_345;
    let folder = TempDir::new().unwrap();
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({ELEMENTS},)}}");
    let bytes: Vec<u8> = (0..ELEMENTS).map(|i| (i % 251) as u8).collect();
    let (input, out) = (with_header(&folder, &header, &bytes), folder.path().join("out.npy"));
    succeeded(&command(&["--dtype=f32", "--max=200"], &input, &out).output().unwrap());
    let out = fs::read(out).unwrap();
    assert_eq!(out.len(), 128 + 4 * ELEMENTS);
    let right = |(byte, float): (&u8, &[u8])| float == f32::from(*byte.min(&200)).to_le_bytes();
    assert!(bytes.iter().zip(out[128..].chunks(4)).all(right));
}
