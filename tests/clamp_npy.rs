//! The example `clamp_npy`, run as its users run it, on files that `NumPy` wrote.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// No backend has this name, so that the example falls back on the reference: for tests of what has nothing to do with
/// a GPU, and is quicker without.
const NO_ADAPTER: (&str, &str) = ("WGPU_BACKEND", "none");

/// What cargo built beside this test.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // target/debug/deps/clamp_npy-0123456789abcdef
    let profile = test.parent().unwrap().parent().unwrap();
    let example = profile.join("examples").join(format!("clamp_npy{}", std::env::consts::EXE_SUFFIX));
    let hint = "`cargo build --example clamp_npy` builds it, as `cargo test` without `--test` does";
    let built =
        fs::metadata(&example).unwrap_or_else(|error| panic!("{}: {error}; {hint}", example.display()));
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/clamp_npy");
    for source in ["main.rs", "args.rs", "npy.rs", "npy/literal.rs", "output.rs", "stream.rs", "values.rs"] {
        let changed = fs::metadata(sources.join(source)).unwrap().modified().unwrap();
        assert!(built.modified().unwrap() >= changed, "{} is older than {source}; {hint}", example.display());
    }
    example
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/npy").join(name)
}

/// The example with `options`, not yet run.
fn command(options: &[&str], input: impl AsRef<Path>, output: impl AsRef<Path>) -> Command {
    let mut command = Command::new(example());
    command.args(options).arg(input.as_ref()).arg(output.as_ref()).stdin(Stdio::null());
    command
}

/// The same without a GPU, run.
fn run(options: &[&str], input: impl AsRef<Path>, output: impl AsRef<Path>) -> Output {
    command(options, input, output).env(NO_ADAPTER.0, NO_ADAPTER.1).output().unwrap()
}

/// Fails, and says all of `words`.
#[track_caller]
fn refused(output: &Output, words: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for word in words {
        assert!(said.contains(word), "{said:?} lacks {word:?}");
    }
}

#[track_caller]
fn succeeded(output: &Output) {
    assert!(output.status.success(), "{output:?}");
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

/// A file as `NumPy` writes it, but with this header.
fn with_header(folder: &TempDir, header: &str, data: &[u8]) -> PathBuf {
    let path = folder.path().join("in.npy");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    fs::write(&path, bytes).unwrap();
    path
}

/// Every byte of the file is what `NumPy` wrote: its header and the results of `numpy.clip`.
fn all_cases(run: impl Fn(&[&str], &Path, &Path) -> Output) {
    let folder = TempDir::new().unwrap();
    let cases = fs::read_to_string(data("cases.tsv")).unwrap();
    assert_eq!(cases.lines().count(), 82);
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

#[test]
fn what_numpy_has_and_we_have_not_is_named() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let supported = "supported are i1, i2, i4, i8, u1, u2, u4, u8, f2, f4 and f8";
    for (name, what) in [
        ("bool", "are booleans"),
        ("complex", "are complex numbers"),
        ("longdouble", "are long doubles"),
        ("string", "are strings"),
        ("bytes", "are strings"),
        ("date", "are dates"),
        ("duration", "are durations"),
        ("raw", "are raw bytes"),
        ("structure", "are structures"),
        ("object", "are Python objects"),
    ] {
        let name = format!("refused_{name}.npy");
        refused(&run(&["--min=0"], data(&name), &out), &[&name, what, supported]);
    }
    let archive = data("refused_archive.npy");
    refused(&run(&["--min=0"], archive, &out), &["refused_archive.npy", "not a .npy file", ".npz"]);
    let two = data("refused_two_arrays.npy");
    refused(
        &run(&["--min=0"], two, &out),
        &["refused_two_arrays.npy", "140 bytes follow after its 3 elements"],
    );
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn headers_are_read_strictly() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let nested = format!("{{'descr': {}1", "(".repeat(5000));
    let good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}";
    for (header, words) in [
        ("", "ends where '{' is expected"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)", "ends where '}' is expected"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)} 1", "where the end is expected"),
        ("{'descr': '|u1', 'fortran_order': False}", "needs the keys"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'x': 1}", "\"x\" is unknown"),
        (
            "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
            "\"shape\" is there twice",
        ),
        ("{'descr': '|u1' 'fortran_order': False, 'shape': (2,)}", "where '}' is expected"),
        ("{'descr': '|u1, 'fortran_order': False, 'shape': (2,)}", "where '}' is expected"),
        ("{'descr': '|u1', 'fortran_order': 0, 'shape': (2,)}", "neither True nor False"),
        ("{'descr': '|u1', 'fortran_order': false, 'shape': (2,)}", "where an integer is expected"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (2)}", "shape is not a tuple"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': [2]}", "shape is not a tuple"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (2.0,)}", "where ')' is expected"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (-2,)}", "where a value is expected"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (02,)}", "where an integer is expected"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': ('2',)}", "not of integers"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (,)}", "where a value is expected"),
        (
            "{'descr': '|u1', 'fortran_order': False, 'shape': (18446744073709551616,)}",
            "where an integer is expected",
        ),
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
            "more elements than a file",
        ),
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976,)}",
            "more elements than a file",
        ),
        ("{'descr': '=f4', 'fortran_order': False, 'shape': (2,)}", "the byte order must be < or >"),
        ("{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}", "the byte order must be < or >"),
        ("{'descr': 'f4', 'fortran_order': False, 'shape': (2,)}", "gives no byte order"),
        ("{'descr': '<f3', 'fortran_order': False, 'shape': (2,)}", "supported are"),
        ("{'descr': '\u{e9}4', 'fortran_order': False, 'shape': (2,)}", "gives no byte order"),
        (&nested, "nested too deeply"),
        (&" ".repeat(10_001), "10001 bytes"),
    ] {
        let input = with_header(&folder, header, &[1, 2]);
        refused(&run(&["--min=0"], &input, &out), &["in.npy: ", words]);
    }
    for header in [
        good,
        "\t{ \"shape\" :\n(2 ,) , 'fortran_order':True,'descr' : '<u1' , } \n ",
        "{'descr': '>u1', 'fortran_order': False, 'shape': (1, 2L, 1)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': ((1), (2))}",
    ] {
        let input = with_header(&folder, header, &[1, 2]);
        succeeded(&run(&["--min=2"], &input, &out));
        assert_eq!(fs::read(&out).unwrap()[128..], [2, 2], "{header}");
        fs::remove_file(&out).unwrap();
    }
    // An extent of 0 makes an array empty, whatever the others are.
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (18446744073709551615, 2, 0)}";
    succeeded(&run(&["--min=2"], with_header(&folder, header, &[]), &out));
    assert_eq!(fs::read(&out).unwrap().len(), 128);
    fs::remove_file(&out).unwrap();

    for (bytes, words) in [
        (&b""[..], "it is empty"),
        (b"\x93NUMP", "not a .npy file"),
        (b"\x93NUMPY\x01", "ends within its header"),
        (b"\x93NUMPY\x01\x00\x05", "ends within its header"),
        (b"\x93NUMPY\x02\x00\x05\x00\x00\x00{", "ends within its header"),
        (b"\x93NUMPY\x04\x00\x05\x00\x00\x00{", "version is 4.0"),
        (b"\x93NUMPY\x01\x01\x05\x00\x00\x00{", "version is 1.1"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "4294967295 bytes"),
        (b"\x93NUMPY\x03\x00\x02\x00\x00\x00{\xff", "not UTF-8"),
        (b"a line of text", "not a .npy file"),
    ] {
        let input = folder.path().join("in.npy");
        fs::write(&input, bytes).unwrap();
        refused(&run(&["--min=0"], &input, &out), &["in.npy: ", words]);
    }
    assert_eq!(names(folder.path()), ["in.npy"]);
}

#[test]
fn bounds_are_exact_or_refused() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let input = |dtype: &str| data(&format!("{dtype}_scalar.npy"));
    for (dtype, options, words) in [
        ("u1", &["--min=-1"][..], "--min: \"-1\" is no u8; give an integer from 0 to 255"),
        ("u1", &["--min", "-1"], "--min: \"-1\" is no u8; give an integer from 0 to 255"),
        ("u1", &["--max=256"], "--max: \"256\" is no u8"),
        ("i1", &["--max=128"], "an integer from -128 to 127"),
        ("i4", &["--max=2.5"], "an integer from -2147483648 to 2147483647"),
        ("i4", &["--max=1e3"], "--max: \"1e3\" is no i32"),
        ("i4", &["--max=inf"], "--max: \"inf\" is no i32"),
        ("i4", &["--max=nan"], "--max: \"nan\" is no i32"),
        ("i4", &["--max="], "--max: \"\" is no i32"),
        ("i4", &["--max=--5"], "--max: \"--5\" is no i32"),
        ("i4", &["--max=0x-5"], "--max: \"0x-5\" is no i32"),
        ("i8", &["--max=9223372036854775808"], "to 9223372036854775807"),
        ("u8", &["--max=18446744073709551616"], "to 18446744073709551615"),
        ("u8", &["--max=999999999999999999999999999999999999999999"], "to 18446744073709551615"),
        ("f4", &["--max=one"], "--max: \"one\" is no f32; give a number"),
        ("f4", &["--max=0x10"], "--max: \"0x10\" is no f32"),
        ("f4", &["--max=1e39"], "--max: 1e39 is beyond the largest f32"),
        ("f2", &["--min=-65520"], "--min: -65520 is beyond the largest f16"),
        ("f8", &["--max=1e400"], "--max: 1e400 is beyond the largest f64"),
        ("f4", &["--scale=inf", "--min=0"], "scale: inf is not finite"),
        ("f4", &["--bias=x", "--min=0"], "--bias: \"x\" is no f32"),
        ("i4", &["--bias=16777217"], "--bias: 16777217 would be rounded to 16777216; it is taken as f32"),
        ("i4", &["--standard=directml", "--min=0", "--max=16777217"], "--max: 16777217 would be rounded"),
        ("i8", &["--standard=openvino", "--min=0", "--max=9007199254740993"], "rounded to 9007199254740992"),
        ("i4", &["--standard=onednn", "--min=0", "--max=1"], "i32 is not in oneDNN Graph Clamp"),
        ("i4", &["--standard=onnx:11", "--min=0"], "i32 is not in ONNX Clip-11"),
        ("f8", &["--standard=directml", "--min=0", "--max=1"], "f64 is not in DirectML CLIP"),
        ("i8", &["--standard=clip1:4.1", "--min=0", "--max=1"], "not in DirectML feature level 4.1"),
        ("f4", &["--standard=openvino", "--min=1", "--max=0"], "1 is more than 0"),
        ("f4", &["--standard=directml", "--min=nan", "--max=0"], "NaN is no bound"),
    ] {
        refused(&run(options, input(dtype), &out), &[words]);
    }
    assert_eq!(names(folder.path()), [""; 0]);
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

#[test]
fn wrong_arguments_are_named() {
    let folder = TempDir::new().unwrap();
    let (input, out) = (data("f4_c.npy"), folder.path().join("out.npy"));
    for (options, words) in [
        (&[][..], "nothing to do: give --min or --max"),
        (&["--mni=1"], "'--mni'"),
        (&["--min=1", "--quiet=5"], "--quiet"),
        (&["--min=1", "third"], "3 files are named"),
        (&["--min=1", "--order=up"], "--order: \"up\" is unknown; give min, max"),
        (&["--nan=zero"], "--nan: \"zero\" is unknown; give keep, min, max"),
        (&["--min=1", "--precision=double"], "--precision: \"double\" is unknown; give exact, fast"),
        (&["--standard=numpy"], "--standard: \"numpy\" is unknown; give directml"),
        (&["--standard=openvino:1"], "--standard: \"openvino:1\" is unknown"),
        (&["--standard=onnx:0"], "opset: 0 is no version"),
        (&["--standard=onnx:x"], "--standard: \"x\" is no version"),
        (&["--standard=directml:9.9"], "feature level: \"9.9\" is unknown; give 1.0, 2.0"),
        (&["--standard=openvino", "--min=0"], "--standard needs both"),
        (&["--standard=onnx", "--min=0", "--nan=max"], "--nan: --standard has its own"),
        (&["--standard=onnx", "--min=0", "--order=min"], "--order, --nan: --standard has its own"),
        (&["--standard=onnx", "--min=0", "--scale=2"], "only directml and clip1"),
    ] {
        refused(&run(options, &input, &out), &[words, "--help"]);
    }
    assert_eq!(names(folder.path()), [""; 0]);
    let alone = Command::new(example()).arg("--min=1").arg(&input).output().unwrap();
    refused(&alone, &["1 files are named; an INPUT and an OUTPUT are needed"]);

    let without_value = Command::new(example()).arg(&input).arg(&out).arg("--min").output().unwrap();
    refused(&without_value, &["--min", "--help"]);

    let help = Command::new(example()).arg("--help").output().unwrap();
    succeeded(&help);
    let help = String::from_utf8(help.stdout).unwrap();
    for option in
        ["--min", "--max", "--scale", "--bias", "--order", "--nan", "--precision", "--standard", "--quiet"]
    {
        assert!(help.contains(option));
    }
    assert!(help.lines().all(|line| line.len() <= 80));
}

#[test]
fn a_file_that_is_cut_or_goes_on_leaves_no_output() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let whole = fs::read(data("f4_c.npy")).unwrap();
    let input = folder.path().join("in.npy");
    fs::write(&input, &whole[..whole.len() - 1]).unwrap();
    refused(&run(&["--min=0"], &input, &out), &["in.npy: it is truncated", "480 bytes", "479 follow"]);
    fs::write(&input, [&whole[..], b"\n"].concat()).unwrap();
    refused(&run(&["--min=0"], &input, &out), &["in.npy: 1 bytes follow after its 120 elements"]);
    assert_eq!(names(folder.path()), ["in.npy"]);

    // The same through a pipe, whose length nobody knows.
    let through_pipe = |bytes: &[u8]| {
        let mut child = command(&["--min=0"], "-", &out)
            .env(NO_ADAPTER.0, NO_ADAPTER.1)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        child.wait_with_output().unwrap()
    };
    refused(&through_pipe(&whole[..whole.len() - 1]), &["-: it ends before element 120 of 120"]);
    refused(&through_pipe(&[&whole[..], b"\n"].concat()), &["-: more follows after its 120 elements"]);
    refused(&through_pipe(b""), &["-: not a .npy file: it is empty"]);
    assert_eq!(names(folder.path()), ["in.npy"]);
    succeeded(&through_pipe(&whole));
    assert_eq!(names(folder.path()), ["in.npy", "out.npy"]);
}

/// Starts the example on a pipe, feeds it three slices and no end, and waits until a part of the output is on the disk.
#[track_caller]
fn half_done(folder: &Path) -> Child {
    let mut child = command(&["--min=1"], "-", folder.join("out.npy"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000,)}";
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"\x93NUMPY\x01\x00").unwrap();
    stdin.write_all(&u16::try_from(header.len()).unwrap().to_le_bytes()).unwrap();
    stdin.write_all(header.as_bytes()).unwrap();
    stdin.write_all(&vec![0; 96 << 20]).unwrap();
    let start = Instant::now();
    loop {
        let part = names(folder).into_iter().find(|name| name.ends_with(".part"));
        if part.is_some_and(|part| fs::metadata(folder.join(part)).unwrap().len() > 16 << 20) {
            break;
        }
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is written: {:?}", names(folder));
        std::thread::sleep(Duration::from_millis(5));
    }
    // Still open, so that the example waits for more.
    child.stdin = Some(stdin);
    child
}

#[test]
fn killed_in_the_middle_it_leaves_the_output_as_it_was() {
    let folder = TempDir::new().unwrap();
    let mut child = half_done(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    let left = names(folder.path());
    assert!(left.iter().all(|name| name.starts_with(".out.npy.") && name.ends_with(".part")), "{left:?}");

    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    fs::write(&out, "before").unwrap();
    let mut child = half_done(folder.path());
    assert_eq!(fs::read(&out).unwrap(), b"before");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"before");
}

#[test]
fn an_input_that_ends_in_the_middle_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let mut child = half_done(folder.path());
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn an_error_leaves_the_output_as_it_was() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    fs::write(&out, "before").unwrap();
    let whole = fs::read(data("f4_c.npy")).unwrap();
    let input = folder.path().join("in.npy");
    fs::write(&input, &whole[..whole.len() - 1]).unwrap();
    refused(&run(&["--min=0"], &input, &out), &["truncated"]);
    refused(&run(&["--min=x"], data("f4_c.npy"), &out), &["--min"]);
    refused(&run(&["--min=0"], folder.path().join("none.npy"), &out), &["cannot read", "none.npy"]);
    refused(&run(&["--min=0"], folder.path(), &out), &["cannot read", "directory"]);
    assert_eq!(fs::read(&out).unwrap(), b"before");
    refused(&run(&["--min=0"], data("f4_c.npy"), folder.path()), &["cannot write", "not a file"]);
    let nowhere = folder.path().join("nowhere/out.npy");
    refused(&run(&["--min=0"], data("f4_c.npy"), nowhere), &["cannot write", "nowhere"]);
    assert_eq!(names(folder.path()), ["in.npy", "out.npy"]);
}

#[test]
fn input_and_output_may_be_one_file() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("x.npy");
    fs::copy(data("f4_c.npy"), &file).unwrap();
    succeeded(&command(&["--min=-1.1", "--max=2.3"], &file, &file).output().unwrap());
    assert_eq!(fs::read(&file).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
    assert_eq!(names(folder.path()), ["x.npy"]);

    // By its name alone, from the folder.
    fs::copy(data("f4_c.npy"), &file).unwrap();
    let mut here = command(&["--min=-1.1", "--max=2.3"], "x.npy", "x.npy");
    succeeded(&here.current_dir(folder.path()).output().unwrap());
    assert_eq!(fs::read(&file).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
    assert_eq!(names(folder.path()), ["x.npy"]);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = TempDir::new().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "before").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    succeeded(&run(&["--min=-1.1", "--max=2.3"], data("f4_c.npy"), &link));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);

    // A new file is as readable as others that are created here.
    let (new, other) = (folder.path().join("new"), folder.path().join("other"));
    fs::write(&other, "").unwrap();
    succeeded(&run(&["--min=0"], data("f4_c.npy"), &new));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&new), mode(&other));

    // A rename would have put a file in the place of the device.
    refused(&run(&["--min=0"], data("f4_c.npy"), "/dev/null"), &["cannot write /dev/null", "not a file"]);
}

#[test]
fn quiet_is_quiet_and_nobody_has_to_listen() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let quiet = run(&["--quiet", "--min=0"], data("f4_c.npy"), &out);
    succeeded(&quiet);
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{quiet:?}");
    let loud = run(&["--min=0"], data("f4_fortran.npy"), &out);
    let said = String::from_utf8(loud.stdout).unwrap();
    assert!(said.contains("f4_fortran.npy: 120 elements of f32, shape (4, 5, 6), Fortran order\n"), "{said}");
    assert!(said.contains("out.npy: 120 elements, 480 B, in "), "{said}");

    // A pipe whose reader has gone.
    fs::remove_file(&out).unwrap();
    let mut child = command(&["--min=-1.1", "--max=2.3"], "-", &out)
        .env(NO_ADAPTER.0, NO_ADAPTER.1)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    child.stdin.take().unwrap().write_all(&fs::read(data("f4_c.npy")).unwrap()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(&out).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
}
