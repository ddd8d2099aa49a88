//! Runs four parts at once and kills one.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use wgpu_clamp::{Clamp, DType, Precision, reference};
use zarrs::array::ArrayBytes;

use crate::arrays::{command, create, noise, open, run, scratch};

/// 1 GiB in chunks of 32 MiB.
const CHUNK: u64 = 32 << 20;
const CHUNKS: u64 = 32;

/// Whether part 2 has begun to write a chunk.
fn is_writing(output: &Path) -> bool {
    let mut names = fs::read_dir(output).unwrap().map(|entry| entry.unwrap().file_name());
    names.any(|name| name.to_string_lossy().starts_with(".clamp-zarr-2-of-4-"))
}

/// The number of complete chunks.
fn complete(output: &Path) -> usize {
    fs::read_dir(output.join("c")).map_or(0, Iterator::count)
}

#[test]
fn a_part_that_is_killed_is_simply_run_again() {
    let (_folder, input, output) = scratch();
    let codecs =
        json!([{ "name": "bytes" }, { "name": "zstd", "configuration": { "level": 1, "checksum": false } }]);
    // Half of it is noise, so that there is something to compress.
    create(&input, DType::U8, [&[CHUNK * CHUNKS], &[CHUNK]], &codecs, &json!(0), |chunk, len| {
        let noise = noise(chunk[0], len / 2);
        Some(noise.iter().flat_map(|&byte| [byte, 7]).collect())
    });
    let words = |part| format!("--scale 1.5 --bias -20 --min 10 --max 200 --part {part}/4 --jobs 1");
    let start = |part| {
        let mut command = command(&words(part), &input, &output);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut parts: Vec<_> = (0..4).map(start).collect();
    let end = Instant::now() + Duration::from_mins(5);
    // Waits until part 2 is in the middle of a chunk.
    while complete(&output) < 8 || !is_writing(&output) {
        assert!(Instant::now() < end, "{} chunks, and nothing is written", complete(&output));
        thread::sleep(Duration::from_millis(1));
    }
    parts[2].kill().unwrap();
    let statuses: Vec<_> = parts.iter_mut().map(|part| part.wait().unwrap().success()).collect();
    assert_eq!(statuses, [true, true, false, true]);
    assert!(complete(&output) < CHUNKS as usize);

    let said = run(&words(2), &input, &output);
    assert!(said.contains("there before") || said.contains(": 8 chunks written"), "{said}");
    let names: Vec<_> = fs::read_dir(&output).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");

    let clamp = Clamp::new(10_u8, 200).with_affine(1.5, -20.0).unwrap().with_precision(Precision::Exact);
    let results: Vec<u8> = (0..=255).map(|x| reference::element(&clamp, x).unwrap() as u8).collect();
    let [input, output] = [&input, &output].map(|path| open(path));
    for n in 0..CHUNKS {
        let bytes = |array: &zarrs::array::Array<_>| {
            array.retrieve_chunk::<ArrayBytes>(&[n]).unwrap().into_fixed().unwrap().into_owned()
        };
        let (before, after) = (bytes(&input), bytes(&output));
        assert_eq!(after.len() as u64, CHUNK);
        assert!(before.iter().zip(&after).all(|(&x, &y)| results[usize::from(x)] == y), "chunk {n}");
    }
}
