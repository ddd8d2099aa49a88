//! The crate as crates.io would get it.

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

/// Packs the crate and builds what was packed alone: the library, as `cargo publish` does, without what tests turn on in
/// its dependencies; then the examples, so that none of their files is missing from `include`. Tests stay in the
/// repository.
///
/// # Errors
///
/// The crate cannot be packed, or what was packed does not build.
pub fn check(tree: Tree) -> Result<()> {
    let root = root()?;
    let in_root = |args: &[&str]| {
        let mut command = cargo(args);
        // So that cargo verifies with what the other steps have built.
        command.current_dir(root).args(["--locked", "--target-dir", "target"]);
        command
    };
    let mut pack = in_root(&["package", "--package", LIBRARY]);
    if tree == Tree::AsIs {
        // What was built before has downloaded all that this takes.
        pack.args(["--allow-dirty", "--offline"]);
    }
    run_command(&mut pack)?;
    let metadata = metadata(&["--no-deps"])?;
    let version = text(package(&metadata, LIBRARY)?, "version");
    let manifest = format!("target/package/{LIBRARY}-{version}/Cargo.toml");
    run_command(in_root(&["check", "--examples", "--all-features"]).args(["--manifest-path", &manifest]))
}
