//! Runs a fuzz target without the fuzzer, on the same inputs at each run: seeds, changed seeds and random bytes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Runs the target `name` on its seeds in `dev/fuzz/seeds.tar`, then on `cases` generated inputs. `PROPTEST_CASES`, if set, limits
/// the seeds and replaces `cases`.
///
/// # Panics
///
/// The target panics. proptest first shrinks an input that it generated.
pub fn replay(name: &str, cases: u32, run: impl Fn(&[u8])) {
    let asked = std::env::var("PROPTEST_CASES").ok().map(|cases| cases.parse().unwrap());
    let cases = asked.unwrap_or(cases);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let files = unpacked(&root.join("dev/fuzz/seeds.tar"));
    for path in files.keys() {
        let has_target = ["plan", "standards"].iter().any(|name| path.starts_with(name));
        assert!(has_target, "{} has no target", path.display());
    }
    let (paths, seeds): (Vec<_>, Vec<_>) =
        files.into_iter().filter(|(path, _)| path.starts_with(name)).unzip();
    assert!(!seeds.is_empty(), "there are no seeds of {name}");
    for (seed, path) in seeds.iter().zip(&paths).take(asked.map_or(usize::MAX, |cases| cases as usize)) {
        println!("{}", path.display());
        run(seed);
    }

    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let changes = vec((any::<Index>(), any::<u8>()), 0..12);
    let kept = (select(seeds), changes, any::<Index>(), any::<bool>());
    let kept = kept.prop_map(|(mut seed, changes, end, cut)| {
        let length = seed.len();
        if length > 0 {
            for (at, byte) in changes {
                seed[at.index(length)] = byte;
            }
            seed.truncate(if cut { end.index(length) } else { length });
        }
        seed
    });
    let inputs = prop_oneof![3 => kept, 1 => vec(any::<u8>(), 0..200)];
    runner
        .run(&inputs, |input| {
            run(&input);
            Ok(())
        })
        .unwrap();
}

/// The files of an archive, by path.
fn unpacked(archive: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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
