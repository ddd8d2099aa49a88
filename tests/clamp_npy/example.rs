//! Helpers: run the example, write and read its files.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

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

/// A file that `NumPy` wrote: all of them are lines of `tests/data/npy.jsonl`, with their bytes in hexadecimal.
pub fn data(name: &str) -> PathBuf {
    // Shared by the tests of this process. The folder of the target lasts, since nothing drops a static.
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npy");
        fs::create_dir_all(&folder).unwrap();
        for line in include_str!("../data/npy.jsonl").lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let [name, hex] = ["file", "bytes"].map(|key| line[key].as_str().unwrap());
            let bytes: Vec<u8> =
                (0..hex.len()).step_by(2).map(|n| u8::from_str_radix(&hex[n..n + 2], 16).unwrap()).collect();
            // Renamed when whole: another process may read it meanwhile.
            let mut file = tempfile::NamedTempFile::new_in(&folder).unwrap();
            file.write_all(&bytes).unwrap();
            file.persist(folder.join(name)).unwrap();
        }
        folder
    });
    FOLDER.join(name)
}

/// The command that runs the example with `options`.
pub fn command(options: &[&str], input: impl AsRef<Path>, output: impl AsRef<Path>) -> Command {
    let mut command = Command::new(example());
    command.args(options).arg(input.as_ref()).arg(output.as_ref()).stdin(Stdio::null());
    command
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

/// The dtype, order, shape and data of a file.
pub type Contents = (npyz::DType, npyz::Order, Vec<u64>, Vec<u8>);

pub fn read(path: &Path) -> Contents {
    let bytes = fs::read(path).unwrap();
    let mut data = &bytes[..];
    let header = npyz::NpyHeader::from_reader(&mut data).unwrap();
    (header.dtype(), header.order(), header.shape().to_vec(), data.to_vec())
}

/// A folder for the files of a test. The example's output is `out.npy`.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(&self.0).unwrap().map(name).collect();
        names.sort();
        names
    }

    /// Writes `in.npy` as `NumPy` does, but with this header.
    pub fn input(&self, header: &str, data: &[u8]) -> PathBuf {
        self.versioned(1, header, data)
    }

    /// As [`input`](Self::input), in a version of the format. Since version 2, the header's length has four bytes.
    pub fn versioned(&self, version: u8, header: &str, data: &[u8]) -> PathBuf {
        let path = self.path("in.npy");
        let length = u32::try_from(header.len()).unwrap().to_le_bytes();
        let length = if version == 1 { &length[..2] } else { &length };
        let bytes = [&b"\x93NUMPY"[..], &[version, 0], length, header.as_bytes(), data].concat();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn run(&self, options: &[&str], input: impl AsRef<Path>) -> Output {
        command(options, input, self.path("out.npy")).output().unwrap()
    }

    /// Runs the example, which must succeed, and reads its output.
    #[track_caller]
    pub fn clamped(&self, options: &[&str], input: impl AsRef<Path>) -> Contents {
        let output = self.run(options, input);
        assert!(output.status.success(), "{output:?}");
        read(&self.path("out.npy"))
    }
}
