//! A file that appears under its name only when it is complete.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::Result;

/// A file on its way. Dropped, it leaves nothing.
pub struct Output {
    path: PathBuf,
    part: NamedTempFile,
}

impl Output {
    /// A temporary file beside `path`, since a rename works within one file system only.
    pub fn create(path: &Path) -> Result<Self> {
        let cannot = |error: &dyn std::fmt::Display| format!("cannot write {}: {error}", path.display());
        let before = match fs::metadata(path) {
            // A rename would put a file in the place of a device or a pipe.
            Ok(metadata) if !metadata.is_file() => return Err(cannot(&"it is there and not a file").into()),
            Ok(metadata) => Some(metadata.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(cannot(&error).into()),
        };
        // A link stays a link, and what it names is replaced.
        let path = if before.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let name = path.file_name().ok_or_else(|| cannot(&"it names no file"))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let prefix = format!(".{}.", name.display());
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".part");
        // As any new file, and not for its owner's eyes alone as temporary files are; less the umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let part = builder.tempfile_in(folder).map_err(|error| cannot(&error))?;
        if let Some(permissions) = before {
            part.as_file().set_permissions(permissions).map_err(|error| cannot(&error))?;
        }
        Ok(Self { path, part })
    }

    pub fn file(&self) -> &File {
        self.part.as_file()
    }

    pub fn cannot_write(&self, error: &io::Error) -> String {
        format!("cannot write {}: {error}", self.part.path().display())
    }

    /// Gives the file its name, in place of one that had it. The data is on the disk before, so that even a power
    /// cut leaves one or the other.
    pub fn finish(self) -> Result<PathBuf> {
        self.part.as_file().sync_all().map_err(|error| self.cannot_write(&error))?;
        let Self { path, part } = self;
        part.persist(&path)
            .map_err(|error| format!("cannot put the result in the place of {}: {error}", path.display()))?;
        Ok(path)
    }
}
