//! Reads tar archives: seeds of fuzz targets, and data of tests.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The files of an archive, by path.
///
/// # Panics
///
/// The archive cannot be read.
pub fn files(archive: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut archive = tar::Archive::new(File::open(archive).unwrap());
    for entry in archive.entries().unwrap() {
        let (mut entry, mut bytes) = (entry.unwrap(), Vec::new());
        entry.read_to_end(&mut bytes).unwrap();
        if entry.header().entry_type().is_file() {
            files.insert(entry.path().unwrap().into_owned(), bytes);
        }
    }
    files
}
