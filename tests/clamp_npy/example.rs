//! Helpers: run the example, write and read its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The example that cargo built beside this test.
pub fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // target/debug/deps/clamp_npy-0123456789abcdef
    let profile = test.parent().unwrap().parent().unwrap();
    let example = profile.join("examples").join(format!("clamp_npy{}", std::env::consts::EXE_SUFFIX));
    let hint = "`cargo build --example clamp_npy` builds it, as `cargo test` without `--test` does";
    let built =
        fs::metadata(&example).unwrap_or_else(|error| panic!("{}: {error}; {hint}", example.display()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/clamp_npy.rs");
    let changed = fs::metadata(source).unwrap().modified().unwrap();
    assert!(built.modified().unwrap() >= changed, "{} is older than its source; {hint}", example.display());
    example
}

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/npy").join(name)
}

/// The command that runs the example with `options`.
pub fn command(options: &[&str], input: impl AsRef<Path>, output: impl AsRef<Path>) -> Command {
    let mut command = Command::new(example());
    command.args(options).arg(input.as_ref()).arg(output.as_ref()).stdin(Stdio::null());
    command
}

pub fn run(options: &[&str], input: impl AsRef<Path>, output: impl AsRef<Path>) -> Output {
    command(options, input, output).output().unwrap()
}

/// Asserts that the command line was rejected with these words and a hint at the help.
#[track_caller]
pub fn misused(output: &Output, words: &str) {
    ended(output, 2, &[words, "try '--help'"]);
}

/// Asserts that the example refused a file or a number, with all of `words`.
#[track_caller]
pub fn refused(output: &Output, words: &[&str]) {
    ended(output, 1, words);
}

#[track_caller]
fn ended(output: &Output, code: i32, words: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    for word in words {
        assert!(said.contains(word), "{said:?} lacks {word:?}");
    }
}

#[track_caller]
pub fn succeeded(output: &Output) {
    assert!(output.status.success(), "{output:?}");
}

pub fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

/// Writes a file as `NumPy` does, but with this header.
pub fn with_header(folder: &TempDir, header: &str, data: &[u8]) -> PathBuf {
    let path = folder.path().join("in.npy");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    fs::write(&path, bytes).unwrap();
    path
}

/// The dtype, order, shape and data of a file.
pub fn read(path: &Path) -> (npyz::DType, npyz::Order, Vec<u64>, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let mut data = &bytes[..];
    let header = npyz::NpyHeader::from_reader(&mut data).unwrap();
    (header.dtype(), header.order(), header.shape().to_vec(), data.to_vec())
}
