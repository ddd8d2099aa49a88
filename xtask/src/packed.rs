//! The crate as crates.io would get it.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::manifest::{LIBRARY, metadata, package, text};
use crate::steps::{cargo, root, run as run_command};

/// Which state of the work tree is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    /// As it is, for work in progress.
    AsIs,
    /// As it is committed, for a release; there must be no change.
    Committed,
}

/// Packs the crate and compiles the package alone: the library, without the features that tests turn on in its
/// dependencies, then the examples, so that `include` lacks none of their files.
///
/// For a release the library is built, as by `cargo publish`. Otherwise it is checked, which shares the documentation's
/// build of wgpu.
///
/// # Errors
///
/// The crate cannot be packed, or what was packed does not compile.
pub fn check(tree: Tree) -> Result<()> {
    let root = root()?;
    let in_root = |args: &[&str]| {
        let mut command = cargo(args);
        // Cargo verifies with what the other steps have built.
        command.current_dir(root).args(["--locked", "--target-dir", "target"]);
        command
    };
    let mut pack = in_root(&["package", "--package", LIBRARY]);
    if tree == Tree::AsIs {
        // Earlier builds have downloaded everything.
        pack.args(["--allow-dirty", "--offline", "--no-verify"]);
    }
    run_command(&mut pack)?;
    let metadata = metadata(&["--no-deps"])?;
    let version = text(package(&metadata, LIBRARY)?, "version");
    let packed = format!("target/package/{LIBRARY}-{version}");
    let manifest = format!("{packed}/Cargo.toml");
    if tree == Tree::AsIs {
        // cargo unpacks only what it builds.
        let before = root.join(&packed);
        if before.exists() {
            fs::remove_dir_all(before)?;
        }
        let mut unpack = Command::new("tar");
        // `m` sets the current time: cargo would take files with the package's dates for checked ones.
        unpack.args(["-xzmf", &format!("{LIBRARY}-{version}.crate")]);
        run_command(unpack.current_dir(root.join("target/package")))?;
        run_command(in_root(&["check", "--lib"]).args(["--manifest-path", &manifest]))?;
    }
    run_command(in_root(&["check", "--examples", "--all-features"]).args(["--manifest-path", &manifest]))
}
