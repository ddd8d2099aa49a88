//! Refusals: their words, and that they leave no output.

use std::fs;
use std::process::Command;

use crate::example::{Folder, data, example, misused, refused};

#[test]
fn what_numpy_has_and_we_have_not_is_named() {
    let folder = Folder::new();
    for (descr, words) in [
        ("'|b1'", "its elements are '|b1'; i1 to i8, u1 to u8 and f2 to f8 can be clamped"),
        ("'|O'", "its elements are '|O'"),
        ("[('x', '<f4'), (('title', 'z'), [('w', '|u1')])]", "list entry must contain a string for id"),
        // As two arrays in a file.
        ("'<i4'", "16 bytes follow its header; [2] elements of i32 take 8"),
    ] {
        let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,), }}");
        refused(&folder.run(&["--min=0"], folder.input(&header, &[0; 16])), &["INPUT: ", "in.npy: ", words]);
    }
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
fn headers_that_are_wrong() {
    let folder = Folder::new();
    // The product of the extents is 2^64, or 0 in 64 bits.
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296)}";
    let words =
        "2 bytes follow its header; [4294967296, 4294967296] elements of u8 take 18446744073709551615";
    refused(&folder.run(&["--min=0"], folder.input(header, &[1, 2])), &["INPUT: ", "in.npy: ", words]);
    refused(&folder.run(&["--min=0"], folder.input("", &[1, 2])), &["could not parse Python expression"]);
    // An archive, as `numpy.savez` writes.
    let input = folder.path("in.npy");
    fs::write(&input, b"PK\x03\x04").unwrap();
    refused(&folder.run(&["--min=0"], input), &["INPUT: ", "in.npy: ", "magic not found"]);
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
fn values_that_are_none() {
    let folder = Folder::new();
    let input = |dtype: &str| data(&format!("{dtype}.npy"));
    for (dtype, options, words) in [
        ("u1", &["--min=-1"][..], "--min: \"-1\" is no u8; give a number from 0 to 255"),
        ("u1", &["--min", "-1"], "--min: \"-1\" is no u8; give a number from 0 to 255"),
        ("i4", &["--max=2.5"], "a number from -2147483648 to 2147483647"),
        ("i8", &["--max=9223372036854775808"], "to 9223372036854775807"),
        ("u8", &["--max=18446744073709551616"], "to 18446744073709551615"),
        ("f4", &["--max=one"], "--max: \"one\" is no f32; give a number from -3.4028235e38 to 3.4028235e38"),
        ("f4", &["--max=1e39"], "--max: \"1e39\" is no f32"),
        ("f4", &["--max=nan"], "--max: \"nan\" is no f32"),
        ("f2", &["--min=-65520"], "--min: \"-65520\" is no f16; give a number from -65504.0 to 65504.0"),
        ("f4", &["--scale=inf"], "--scale: \"inf\" is no finite number of 32 bits"),
        ("f8", &["--scale=x"], "--scale: \"x\" is no finite number of 64 bits"),
        (
            "i8",
            &["--dtype=f32"],
            "error: --dtype: i64 does not convert to f32; any two of u8, i8, u16, i16, u32, i32, f16 and f32 do",
        ),
        ("f4", &["--dtype=u8", "--max=256"], "--max: \"256\" is no u8"),
        ("f4", &["--dtype=bf16"], "--dtype: a .npy file cannot have elements of bf16"),
    ] {
        refused(&folder.run(options, input(dtype)), &[words]);
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn wrong_arguments_and_the_help() {
    let folder = Folder::new();
    let words = "<--min <NUMBER>|--max <NUMBER>|--scale <NUMBER>|--bias <NUMBER>|--dtype <DTYPE>>";
    misused(&folder.run(&[], data("f4.npy")), words);
    assert_eq!(folder.names(), [""; 0]);
    let help = Command::new(example()).arg("--help").output().unwrap();
    assert!(help.status.success() && help.stdout.split(|byte| *byte == b'\n').all(|line| line.len() <= 80));
}
