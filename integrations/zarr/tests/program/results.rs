//! The arrays that the program writes.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};
use wgpu_clamp::{Clamp, Clamps, DType, Precision, Rounding, Scalar};

use crate::arrays::{check, command, create, fail, name, noise, open, plain, read, run, scratch};

const SHAPE: [&[u64]; 2] = [&[7, 10], &[3, 4]];

/// Noise in every chunk except one, which is absent.
fn most(chunk: &[u64], len: usize) -> Option<Vec<u8>> {
    (chunk != [1, 1]).then(|| noise(chunk[0] * 100 + chunk[1], len))
}

fn exact(clamp: Clamp) -> Clamp {
    clamp.with_precision(Precision::Exact)
}

#[test]
fn every_dtype_with_ragged_edges_and_a_chunk_that_is_absent() {
    let (folder, ..) = scratch();
    for dtype in DType::ALL {
        let (input, output) = (folder.path().join(name(dtype)), folder.path().join(format!("{dtype} out")));
        create(&input, dtype, SHAPE, &plain(), &json!(1), most);
        let said = run("--min 3 --max 100 --scale 0.5 --bias 2", &input, &output);
        assert!(said.contains("8 chunks written, 1 absent from IN"), "{said}");
        let bound = |number| Clamp::openvino(dtype, number, number).unwrap().min();
        let clamp = Clamp::unbounded(dtype).with_bounds(bound(3.0), bound(100.0)).unwrap();
        let clamp =
            if dtype == DType::F64 { clamp.with_scale_bias(0.5, 2.0) } else { clamp.with_affine(0.5, 2.0) };
        check(&exact(clamp.unwrap()), &input, &output);
        assert!(!output.join("c/1/1").exists());
        assert_eq!(open(&output).attributes()["unit"], "m");
    }
}

#[test]
fn every_conversion() {
    let (folder, ..) = scratch();
    for source in DType::CONVERTIBLE {
        let input = folder.path().join(name(source));
        create(&input, source, SHAPE, &plain(), &json!(5), most);
        for dtype in DType::CONVERTIBLE.into_iter().filter(|&dtype| dtype != source) {
            let output = folder.path().join(format!("{source} to {dtype}"));
            run(&format!("--dtype {dtype} --scale 0.3 --rounding even"), &input, &output);
            let clamp = Clamp::unbounded(dtype).with_source(source).unwrap().with_affine(0.3, 0.0).unwrap();
            check(&exact(clamp.with_rounding(Rounding::NearestEven)), &input, &output);
        }
    }
}

#[test]
fn codecs_are_kept() {
    let bytes = json!({ "name": "bytes", "configuration": { "endian": "little" } });
    let blosc = |typesize: usize| {
        json!({ "name": "blosc", "configuration":
            { "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": typesize, "blocksize": 0 } })
    };
    let sharded = json!({ "name": "sharding_indexed", "configuration": {
        "chunk_shape": [3, 2],
        // The input's bytes need no byte order; the output's floats do.
        "codecs": [{ "name": "bytes" }, { "name": "zstd", "configuration": { "level": 1, "checksum": true } }],
        "index_codecs": [bytes, { "name": "crc32c" }],
    } });
    let codecs = [
        json!([bytes, { "name": "gzip", "configuration": { "level": 1 } }]),
        json!([{ "name": "bytes" }, blosc(1)]),
        json!(["bytes", "crc32c"]),
        json!([{ "name": "transpose", "configuration": { "order": [1, 0] } }, { "name": "bytes" }]),
        json!([{ "name": "bytes", "configuration": { "endian": "big" } }, { "name": "numcodecs.zlib", "configuration": { "level": 1 } }]),
        json!([sharded]),
    ];
    let (folder, ..) = scratch();
    for (n, codecs) in codecs.iter().enumerate() {
        let (input, output) = (folder.path().join(format!("in {n}")), folder.path().join(format!("out {n}")));
        create(&input, DType::U8, SHAPE, codecs, &json!(0), most);
        run("--dtype f32 --scale 0.25 --max 60", &input, &output);
        let clamp = Clamp::at_most(60.0_f32).with_source(DType::U8).unwrap().with_affine(0.25, 0.0).unwrap();
        check(&exact(clamp), &input, &output);
        let described = |path| serde_json::to_value(open(path).metadata()).unwrap();
        let names = |metadata: &Value| -> Vec<Value> {
            metadata["codecs"]
                .as_array()
                .unwrap()
                .iter()
                .map(|codec| codec.get("name").unwrap_or(codec).clone())
                .collect()
        };
        assert_eq!(names(&described(&output)), names(&described(&input)));
    }
    // blosc shuffles elements of the output's size.
    let metadata = serde_json::to_value(open(&folder.path().join("out 1")).metadata()).unwrap();
    assert_eq!(metadata["codecs"][1], blosc(4));
}

#[test]
fn an_array_of_version_2() {
    let (_folder, input, output) = scratch();
    fs::create_dir(&input).unwrap();
    let metadata = json!({
        "zarr_format": 2, "shape": [5], "chunks": [3], "dtype": ">i2", "compressor": null, "fill_value": -7,
        "order": "C", "filters": null,
    });
    fs::write(input.join(".zarray"), metadata.to_string()).unwrap();
    fs::write(input.join("1"), [1_i16, -300, 0].map(i16::to_be_bytes).concat()).unwrap();
    run("--min -5 --max 0", &input, &output);
    check(&Clamp::new(-5_i16, 0), &input, &output);
    let numbers = [-5_i16, -5, -5, 0, -5].map(i16::to_le_bytes).concat();
    assert_eq!(read(&open(&output)), numbers);
}

#[test]
fn channels_along_every_axis() {
    let (folder, ..) = scratch();
    for (axis, extent) in [(0, 7_u8), (1, 10)] {
        let input = folder.path().join(format!("in {axis}"));
        create(&input, DType::U8, SHAPE, &plain(), &json!(200), most);
        let lines: Vec<_> = (0..extent).map(|n| format!("--scale 0.{n}1 --bias -{n}")).collect();
        let (file, output) = (folder.path().join("channels"), folder.path().join(format!("out {axis}")));
        fs::write(&file, lines.join("\n")).unwrap();
        let said =
            run(&format!("--dtype f16 --max 9 --axis {axis} --channels {}", file.display()), &input, &output);
        // The channels clamp the fill value to different numbers, so the absent chunk is written.
        assert!(said.contains(": 9 chunks written"), "{said}");
        let channel = |n: u8| {
            let scale = format!("0.{n}1").parse().unwrap();
            let clamp = Clamp::at_most(half::f16::from_f32(9.0)).with_source(DType::U8).unwrap();
            exact(clamp.with_affine(scale, -f32::from(n)).unwrap())
        };
        let list: Vec<_> = (0..extent).map(channel).collect();
        check(Clamps::along(axis, &list), &input, &output);
    }
}

#[test]
fn parts_make_up_the_whole_and_what_is_there_is_left_alone() {
    let (_folder, input, output) = scratch();
    create(&input, DType::I32, SHAPE, &plain(), &json!(0), |chunk, len| {
        Some(noise(chunk[0] * 9 + chunk[1], len))
    });
    let mut written = 0;
    for part in 0..5 {
        let said = run(&format!("--max -9 --part {part}/5 --jobs 2"), &input, &output);
        let chunks = if part < 4 { 2 } else { 1 };
        assert!(said.contains(&format!(": {chunks} chunks written")), "{said}");
        written += chunks;
    }
    assert_eq!(written, 9);
    check(&Clamp::at_most(-9_i32), &input, &output);

    // The program does not look into a chunk that is there. It writes a missing chunk again.
    let chunk = output.join("c/1/2");
    fs::write(&chunk, "anything").unwrap();
    fs::remove_file(output.join("c/0/0")).unwrap();
    let leftover = output.join(".clamp-zarr-0-of-1-0123456789abcdef-0");
    let other = output.join(".clamp-zarr-1-of-5-0123456789abcdef-0");
    fs::write(&leftover, "half").unwrap();
    fs::write(&other, "half").unwrap();
    let said = run("--max -9", &input, &output);
    assert!(said.contains("1 chunks written, 8 there before"), "{said}");
    assert_eq!(fs::read(&chunk).unwrap(), b"anything");
    assert!(!leftover.exists() && other.exists());

    // A second clamp would mix its results with the first one's.
    let error = fail("--min -100 --max -9", &input, &output);
    assert!(error.contains("it is there, and differs in attributes: {"), "{error}");
    let error = fail("--max -10", &input, &output);
    assert!(error.contains("differs in fill_value: -9, not -10; give another, or remove it"), "{error}");
}

#[test]
fn bounds_of_bf16_are_its_own() {
    let (folder, input, output) = scratch();
    create(&input, DType::F32, SHAPE, &plain(), &json!(0), most);
    run("--dtype bf16 --min nan --max 2.6584559915698317e36", &input, &output);
    let clamp = Clamp::unbounded(DType::BF16)
        .with_bounds(
            Scalar::from_bits(DType::BF16, 0x7fc0).unwrap(),
            Scalar::from_bits(DType::BF16, 0x7c00).unwrap(),
        )
        .unwrap();
    check(&exact(clamp.with_source(DType::F32).unwrap()), &input, &output);
    let error = fail("--dtype bf16 --max 1e39", &input, &folder.path().join("none"));
    assert!(error.contains("1e39 is beyond the largest bf16"), "{error}");
}

/// One run describes the array. The other finds the description of another clamp.
#[test]
fn of_two_clamps_at_once_one_is_refused() {
    let (folder, input, _) = scratch();
    create(&input, DType::U8, SHAPE, &plain(), &json!(0), most);
    for n in 0..4 {
        let output = folder.path().join(n.to_string());
        let start = |words| {
            command(words, &input, &output).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let parts = ["--max 100 --part 0/2", "--max 50 --part 1/2"].map(start);
        let ended = parts.map(|part| part.wait_with_output().unwrap());
        let refused = ended.iter().filter(|ran| !ran.status.success());
        let said: Vec<_> = refused.map(|ran| String::from_utf8_lossy(&ran.stderr).into_owned()).collect();
        assert!(matches!(&said[..], [one] if one.contains("it is there, and differs in ")), "{said:?}");
    }
}

#[test]
fn nothing_is_an_array_too() {
    let (folder, input, output) = scratch();
    create(&input, DType::F32, [&[0, 4], &[2, 2]], &plain(), &json!(0), |_, _| None);
    let said = run("--max 1", &input, &output);
    assert!(said.contains("0 chunks written"), "{said}");
    let one = folder.path().join("one");
    create(&one, DType::F32, [&[], &[]], &plain(), &json!(0), |_, _| Some(5.0_f32.to_le_bytes().to_vec()));
    run("--max 1", &one, &folder.path().join("clamped"));
    check(&Clamp::at_most(1.0_f32), &one, &folder.path().join("clamped"));
}
