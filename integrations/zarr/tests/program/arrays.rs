//! Arrays on disk, and the program that clamps them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use wgpu_clamp::testing::splitmix64;
use wgpu_clamp::{Clamps, DType, Layout, reference};
use zarrs::array::{Array, ArrayBytes, ArrayMetadata, CodecOptions};
use zarrs::filesystem::FilesystemStore;
use zarrs::plugin::ExtensionName as _;

/// A directory that is removed with the test, and IN and OUT in it.
pub fn scratch() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let [input, output] = ["in", "out"].map(|name| folder.path().join(name));
    (folder, input, output)
}

/// A command for the program with the arguments in `words`, IN and OUT.
pub fn command(words: &str, input: &Path, output: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clamp-zarr"));
    command.args(words.split_whitespace()).arg(input).arg(output);
    command
}

/// Runs the program, which must succeed, and returns its output.
#[track_caller]
pub fn run(words: &str, input: &Path, output: &Path) -> String {
    let ran = command(words, input, output).output().unwrap();
    assert!(ran.status.success(), "{words}: {}", error(&ran));
    String::from_utf8(ran.stdout).unwrap()
}

/// Runs the program, which must fail, and returns its error output.
#[track_caller]
pub fn fail(words: &str, input: &Path, output: &Path) -> String {
    let ran = command(words, input, output).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{words}: {ran:?}");
    error(&ran)
}

fn error(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stderr).into_owned()
}

/// Zarr's name: `float32` of f32.
pub fn name(dtype: DType) -> String {
    let long = match dtype.name().trim_end_matches(char::is_numeric) {
        "f" => "float",
        "bf" => "bfloat",
        "i" => "int",
        _ => "uint",
    };
    format!("{long}{}", dtype.bits())
}

/// The codecs of a plain array.
pub fn plain() -> Value {
    json!([{ "name": "bytes", "configuration": { "endian": "little" } }])
}

/// Describes an array and writes the chunks for which `data` has bytes.
pub fn create(
    path: &Path,
    dtype: DType,
    [shape, chunk]: [&[u64]; 2],
    codecs: &Value,
    fill_value: &Value,
    mut data: impl FnMut(&[u64], usize) -> Option<Vec<u8>>,
) {
    let metadata = json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": name(dtype),
        "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": chunk } },
        "chunk_key_encoding": { "name": "default", "configuration": { "separator": "/" } },
        "codecs": codecs,
        "fill_value": fill_value,
        "attributes": { "unit": "m" },
    });
    let metadata: ArrayMetadata = serde_json::from_value(metadata).unwrap();
    let store = Arc::new(FilesystemStore::new(path).unwrap());
    let array = Array::new_with_metadata(store, "/", metadata).unwrap();
    array.store_metadata().unwrap();
    let elements: u64 = chunk.iter().product();
    let all = CodecOptions::default().with_store_empty_chunks(true);
    for chunk in zarrs::array::ArraySubset::new_with_shape(array.chunk_grid_shape().to_vec()).indices() {
        if let Some(bytes) = data(&chunk, elements as usize * dtype.size()) {
            array.store_chunk_opt(&chunk, ArrayBytes::new_flen(bytes), &all).unwrap();
        }
    }
}

pub fn open(path: &Path) -> Array<FilesystemStore> {
    Array::open(Arc::new(FilesystemStore::new(path).unwrap()), "/").unwrap()
}

/// All elements, row-major.
pub fn read(array: &Array<FilesystemStore>) -> Vec<u8> {
    let bytes: ArrayBytes = array.retrieve_array_subset(&array.subset_all()).unwrap();
    bytes.into_fixed().unwrap().into_owned()
}

/// Compares an output with the reference's result for the input.
#[track_caller]
pub fn check<'a>(clamps: impl Into<Clamps<'a>>, input: &Path, output: &Path) {
    let (clamps, input, output) = (clamps.into(), open(input), open(output));
    let dtype = clamps.as_slice()[0].dtype();
    let shape: Vec<_> = input.shape().iter().map(|&extent| extent as usize).collect();
    let layout = Layout::packed(&shape).unwrap();
    let mut expected = vec![0; layout.required_bytes(dtype) as usize];
    let mut src = read(&input);
    src.resize(src.len().next_multiple_of(4), 0);
    reference::apply(clamps, &layout, &src, &layout, &mut expected).unwrap();
    expected.truncate(layout.len() * dtype.size());
    assert_eq!(output.data_type().name_v3().unwrap(), name(dtype));
    assert_eq!(output.shape(), input.shape());
    assert!(read(&output) == expected, "{:?}", clamps.as_slice()[0]);
}

/// Pseudo-random bytes, which depend on the seed alone.
pub fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed << 32;
    (0..len.div_ceil(8)).flat_map(|_| splitmix64(&mut state).to_le_bytes()).take(len).collect()
}
