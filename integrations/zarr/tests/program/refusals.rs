//! Options and arrays that the program refuses, and its errors.

use std::fs;

use serde_json::json;
use wgpu_clamp::DType;

use crate::arrays::{create, fail, plain, scratch};

#[test]
fn options_that_make_no_sense() {
    let (_folder, input, output) = scratch();
    create(&input, DType::U8, [&[4], &[2]], &plain(), &json!(0), |_, _| None);
    for (words, said) in [
        ("", "nothing to do: give --min or --max"),
        ("--max 300", "--max: \"300\" is no u8; give an integer from 0 to 255"),
        ("--max 1 --part 4/4", "'4/4' for '--part <I/N>': it is beyond the last of 4, counted from 0: 3/4"),
        ("--max 1 --part 0/0", "'0/0' for '--part <I/N>': it has no parts"),
        ("--max 1 --part half", "'half' for '--part <I/N>': it is no part such as 0/4"),
        ("--max 1 --jobs 0", "invalid value '0' for '--jobs <N>'"),
        ("--max 1 --gpu first", "invalid value 'first' for '--gpu <N>'"),
        ("--max 1 --axis 0", "required arguments were not provided:\n  --channels <FILE>"),
        ("--max 1 --dtype f64", "u8 does not convert to f64"),
        ("--max 1 --gpu 99", "adapter 99, counted from 0, is not among ["),
        ("--max 1 --speed 9", "--speed"),
        ("--max 1 more", "unexpected argument"),
    ] {
        let error = fail(words, &input, &output);
        assert!(error.contains(said) && !output.exists(), "{words}: {error}");
    }
}

#[test]
fn channels_that_do_not_fit() {
    let (folder, input, output) = scratch();
    let file = folder.path().join("channels");
    create(&input, DType::U8, [&[4, 2], &[2, 2]], &plain(), &json!(0), |_, _| None);
    for (text, axis, said) in [
        ("--max 1", 1, "channels has 1 lines; axis 1 has 2 indices"),
        ("--max 1\n--max 1", 2, "--axis: 2 is none of the 2 dimensions [4, 2]"),
        ("--max 1\n--max -1", 1, "line 2: --max: \"-1\" is no u8"),
        ("--max 1\n5", 1, "line 2: error: unexpected argument '5' found"),
        ("--max 1\n--order max", 1, "order"),
        (
            "--max 1\n--standard openvino --min 0 --max 1 --order max",
            1,
            "line 2: --order, --nan: --standard has its own",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let error = fail(&format!("--axis {axis} --channels {}", file.display()), &input, &output);
        assert!(error.contains(said), "{text}: {error}");
    }
    let error = fail("--channels nowhere", &input, &output);
    assert!(error.contains("--channels: nowhere: "), "{error}");
}

#[test]
fn arrays_that_are_none() {
    let (folder, input, output) = scratch();
    let error = fail("--max 1", &input, &output);
    assert!(error.contains("IN: ") && !output.exists(), "{error}");

    create(&input, DType::U8, [&[4], &[2]], &plain(), &json!(0), |_, _| None);
    let metadata = fs::read_to_string(input.join("zarr.json")).unwrap();
    fs::write(
        input.join("zarr.json"),
        metadata.replace("uint8", "bool").replace("\"fill_value\": 0", "\"fill_value\": false"),
    )
    .unwrap();
    let error = fail("--max 1", &input, &output);
    assert!(error.contains("its data type is \"bool\""), "{error}");
    fs::write(input.join("zarr.json"), metadata).unwrap();

    let error = fail("--max 1", &input, &input);
    assert!(error.contains("OUT: ") && error.contains("it is IN"), "{error}");
    let lossy = json!([{ "name": "bitround", "configuration": { "keepbits": 3 } }, "bytes"]);
    let bits = folder.path().join("bits");
    create(&bits, DType::U8, [&[4], &[2]], &lossy, &json!(0), |_, _| None);
    let error = fail("--dtype f32", &bits, &output);
    assert!(error.contains("IN's codec bitround drops bits of uint8"), "{error}");
    let many = folder.path().join("many");
    create(&many, DType::U8, [&[1, 1], &[1, 1]], &plain(), &json!(0), |_, _| None);
    let metadata = fs::read_to_string(many.join("zarr.json")).unwrap();
    let mut metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    metadata["shape"] = json!([1_u64 << 40, 1_u64 << 40]);
    fs::write(many.join("zarr.json"), metadata.to_string()).unwrap();
    let error = fail("--max 1", &many, &folder.path().join("more"));
    assert!(error.contains("chunks has more than can be counted"), "{error}");
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("notes.txt"), "").unwrap();
    let error = fail("--max 1", &input, &other);
    assert!(error.contains("it is a directory of something else"), "{error}");
}

/// A chunk that its codecs refuse ends the run, and the error names it. Chunks that were written stay.
#[test]
fn a_chunk_that_is_broken() {
    let (_folder, input, output) = scratch();
    let codecs = json!([{ "name": "bytes" }, { "name": "crc32c" }]);
    create(&input, DType::U8, [&[6], &[2]], &codecs, &json!(0), |_, len| Some(vec![9; len]));
    fs::write(input.join("c/1"), [1; 6]).unwrap();
    let error = fail("--max 1 --jobs 1", &input, &output);
    assert!(error.contains("chunk [1]: "), "{error}");
    assert!(output.join("c/0").exists() && !output.join("c/1").exists());
}
