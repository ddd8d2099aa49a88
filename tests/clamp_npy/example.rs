//! The program under test, and what it is given.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// No backend has this name, so that the example falls back on the reference: for tests of what has nothing to do with
/// a GPU, and is quicker without.
pub const NO_ADAPTER: (&str, &str) = ("WGPU_BACKEND", "none");

/// What cargo built beside this test.
pub fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // target/debug/deps/clamp_npy-0123456789abcdef
    let profile = test.parent().unwrap().parent().unwrap();
    let example = profile.join("examples").join(format!("clamp_npy{}", std::env::consts::EXE_SUFFIX));
    let hint = "`cargo build --example clamp_npy` builds it, as `cargo test` without `--test` does";
    let built =
        fs::metadata(&example).unwrap_or_else(|error| panic!("{}: {error}; {hint}", example.display()));
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/clamp_npy");
    for source in [
        "main.rs",
        "args.rs",
        "npy.rs",
        "npy/literal.rs",
        "operator.rs",
        "output.rs",
        "stream.rs",
        "values.rs",
    ] {
        let changed = fs::metadata(sources.join(source)).unwrap().modified().unwrap();
        assert!(built.modified().unwrap() >= changed, "{} is older than {source}; {hint}", example.display());
    }
    example
}

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/npy").join(name)
}

/// The example with `options`, not yet run.
pub fn command(options: &[&str], input: impl AsRef<Path>, output: impl AsRef<Path>) -> Command {
    let mut command = Command::new(example());
    command.args(options).arg(input.as_ref()).arg(output.as_ref()).stdin(Stdio::null());
    command
}

/// The same without a GPU, run.
pub fn run(options: &[&str], input: impl AsRef<Path>, output: impl AsRef<Path>) -> Output {
    command(options, input, output).env(NO_ADAPTER.0, NO_ADAPTER.1).output().unwrap()
}

/// Fails, and says all of `words`.
#[track_caller]
pub fn refused(output: &Output, words: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
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

/// A file as `NumPy` writes it, but with this header.
pub fn with_header(folder: &TempDir, header: &str, data: &[u8]) -> PathBuf {
    let path = folder.path().join("in.npy");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    fs::write(&path, bytes).unwrap();
    path
}
