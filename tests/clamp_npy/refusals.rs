//! What is refused, in which words, and that nothing is left then.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::example::{data, example, names, refused, run, succeeded, with_header};

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
        ("i4", &["--dtype=f32"], "source: i32 does not convert to f32; any two of u8, i8, u16, i16, f16"),
        ("f4", &["--dtype=i64"], "source: f32 does not convert to i64"),
        ("f8", &["--dtype=f32", "--max=none"], "source: f64 does not convert to f32"),
        ("f4", &["--dtype=f64"], "source: f32 does not convert to f64"),
        ("f4", &["--dtype=u8", "--max=256"], "--max: \"256\" is no u8"),
        ("u1", &["--dtype=f16", "--max=65520"], "--max: 65520 is beyond the largest f16"),
        ("u1", &["--dtype=f32", "--bias=16777217"], "would be rounded to 16777216; it is taken as f32"),
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
        (&["--dtype=fp32"], "--dtype: \"fp32\" is unknown; give f32, f16"),
        (&["--dtype=bf16"], "--dtype: NumPy has no bf16"),
        (&["--rounding=even"], "nothing to do"),
        (&["--dtype=u8", "--rounding=up"], "--rounding: \"up\" is unknown; give zero, even"),
        (&["--standard=onnx", "--dtype=u8"], "--dtype, --rounding: --standard has no conversion"),
        (&["--standard=directml", "--rounding=even"], "--dtype, --rounding: --standard has no conversion"),
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
    for option in [
        "--min",
        "--max",
        "--scale",
        "--bias",
        "--order",
        "--nan",
        "--precision",
        "--dtype",
        "--rounding",
        "--standard",
        "--quiet",
    ] {
        assert!(help.contains(option));
    }
    assert!(help.lines().all(|line| line.len() <= 80));
}
