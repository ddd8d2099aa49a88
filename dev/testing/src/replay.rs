//! Runs a fuzz target without the fuzzer, on the same inputs at each run: seeds, changed seeds and random bytes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::harness::told;
use crate::random::Random;

/// Runs the target `name` on its seeds in `dev/fuzz/seeds.tar`.
pub fn replay(name: &str, run: impl Fn(&[u8])) {
    let files = unpacked();
    for path in files.keys() {
        let has_target = ["plan", "standards"].iter().any(|name| path.starts_with(name));
        assert!(has_target, "{} has no target", path.display());
    }
    for (path, seed) in files.iter().filter(|(path, _)| path.starts_with(name)) {
        told(|| path.display().to_string(), || run(seed));
    }
}

/// Runs the target `name` on `cases` inputs, the same at each run: changed seeds and random bytes. `cargo
/// fuzz tmin` makes an input smaller that panics.
pub fn vary(name: &str, cases: usize, run: impl Fn(&[u8])) {
    let seeds: Vec<_> = unpacked().into_iter().filter(|(path, _)| path.starts_with(name)).collect();
    let mut random = Random(0);
    for _ in 0..cases {
        let length = random.below(400);
        let mut input = random.bytes(length);
        if random.below(2) == 0 {
            input.clone_from(&seeds[random.below(seeds.len())].1);
            for _ in 0..random.below(12).min(input.len()) {
                let at = random.below(input.len());
                input[at] = random.bits() as u8;
            }
        }
        told(|| format!("{input:?}"), || run(&input));
    }
}

/// The seeds of all targets, by path.
fn unpacked() -> BTreeMap<PathBuf, Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let archive = root.join("dev/fuzz/seeds.tar");
    let mut files = BTreeMap::new();
    for entry in tar::Archive::new(File::open(archive).unwrap()).entries().unwrap() {
        let (mut entry, mut bytes) = (entry.unwrap(), Vec::new());
        entry.read_to_end(&mut bytes).unwrap();
        if entry.header().entry_type().is_file() {
            files.insert(entry.path().unwrap().into_owned(), bytes);
        }
    }
    files
}
