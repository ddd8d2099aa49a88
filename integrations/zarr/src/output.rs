//! The array that is written: whole chunks, each under its name only when it is complete.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tempfile::NamedTempFile;
use wgpu_clamp::DType;
use zarrs::array::{Array, ArrayBytes, ArrayMetadata, ArrayToBytesCodecTraits as _, CodecOptions, FillValue};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::StoreKey;

use crate::args::Share;
use crate::channels::Channels;
use crate::{Result, types};

/// The prefix of unfinished files. Zarr's names do not have it.
const TEMPORARY: &str = ".clamp-zarr-";

/// An array under construction.
pub struct Output {
    path: PathBuf,
    array: Array<FilesystemStore>,
    /// The prefix of this part's unfinished files.
    temporary: String,
}

impl Output {
    /// Writes the array's description, or finds the description of another part or an earlier run.
    pub fn create(
        path: &Path,
        input: &Array<FilesystemStore>,
        channels: &Channels,
        share: Share,
    ) -> Result<Self> {
        let name = path.display();
        Self::open(path, input, channels, share).map_err(|error| format!("OUT: {name}: {error}").into())
    }

    fn open(path: &Path, input: &Array<FilesystemStore>, channels: &Channels, share: Share) -> Result<Self> {
        fs::create_dir_all(path)?;
        if fs::canonicalize(path)? == fs::canonicalize(input.storage().key_to_fspath(&StoreKey::root()))? {
            return Err("it is IN; give another".into());
        }
        // Checked before `describe` looks for the description: if the files are another part's, it is there by then.
        let foreign = foreign(path)?;
        let metadata = metadata(input, channels)?;
        let store = Arc::new(FilesystemStore::new(path)?);
        let array = Array::new_with_metadata(store, "/", serde_json::from_value(metadata.clone())?)?;
        let temporary = format!("{TEMPORARY}{}-of-{}-", share.index, share.count);
        let output = Self { path: path.to_owned(), array, temporary };
        output.describe(&metadata, foreign)?;
        output.remove_leftovers()?;
        Ok(output)
    }

    /// Writes the description. If parts begin at the same time, one writes it and the others find it.
    fn describe(&self, metadata: &Value, foreign: bool) -> Result<()> {
        let description = self.path.join("zarr.json");
        if !description.exists() {
            if foreign {
                return Err("it is a directory of something else; give another".into());
            }
            let written = self.write(&serde_json::to_vec_pretty(metadata)?)?;
            match written.persist_noclobber(&description) {
                Err(error) if error.error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
                _ => {}
            }
        }
        let there = serde_json::from_slice(&fs::read(&description)?)?;
        match difference(&there, metadata) {
            Some(difference) => {
                Err(format!("it is there, and {difference}; give another, or remove it").into())
            }
            None => Ok(()),
        }
    }

    /// Removes the unfinished files of a killed run of this part.
    fn remove_leftovers(&self) -> Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(&self.temporary) {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    pub fn dtype(&self) -> Result<DType> {
        types::dtype(self.array.data_type())
    }

    /// Whether a chunk is complete.
    pub fn has(&self, chunk: &[u64]) -> Result<bool> {
        Ok(self.file(chunk).try_exists()?)
    }

    /// Writes a chunk.
    pub fn store(&self, chunk: &[u64], bytes: Vec<u8>, options: &CodecOptions) -> Result<()> {
        let shape = self.array.chunk_shape(chunk)?;
        let (data_type, fill_value) = (self.array.data_type(), self.array.fill_value());
        let bytes = ArrayBytes::new_flen(bytes);
        let encoded = self.array.codecs().encode(bytes, &shape, data_type, fill_value, options)?;
        let file = self.file(chunk);
        let failed = |error| format!("{}: {error}", file.display());
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        let written = self.write(&encoded).map_err(failed)?;
        written.persist(&file).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn file(&self, chunk: &[u64]) -> PathBuf {
        self.path.join(self.array.chunk_key(chunk).as_str())
    }

    /// A temporary file with the bytes, on the disk already: once renamed, it must survive a crash of the machine. A
    /// file that is not renamed is removed.
    fn write(&self, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        // As readable as other files. The default is for the owner alone.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.prefix(&self.temporary).tempfile_in(&self.path)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(file)
    }
}

/// The bits of a fill value, which has the size of an element.
pub fn bits(fill_value: &FillValue) -> u64 {
    let bytes = fill_value.as_ne_bytes();
    let mut bits = [0; 8];
    if cfg!(target_endian = "big") {
        bits[8 - bytes.len()..].copy_from_slice(bytes);
    } else {
        bits[..bytes.len()].copy_from_slice(bytes);
    }
    u64::from_ne_bytes(bits)
}

/// Whether a directory holds anything but this program's unfinished files.
fn foreign(path: &Path) -> Result<bool> {
    for entry in fs::read_dir(path)? {
        if !entry?.file_name().to_string_lossy().starts_with(TEMPORARY) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The output's description: the input's, changed to the clamp's dtype.
fn metadata(input: &Array<FilesystemStore>, channels: &Channels) -> Result<Value> {
    let source = types::dtype(input.data_type())?;
    let dtype = channels.dtype(source);
    let ArrayMetadata::V3(metadata) = input.metadata() else {
        return Err("it has no description of version 3".into());
    };
    let mut metadata = serde_json::to_value(metadata)?;
    let data_type = types::data_type(dtype)?;
    // If channels disagree, every chunk is written, and nobody sees the fill value.
    let fill = channels.of_all(bits(input.fill_value())).unwrap_or(0);
    let fill = FillValue::new(if cfg!(target_endian = "big") {
        fill.to_be_bytes()[8 - dtype.size()..].to_vec()
    } else {
        fill.to_le_bytes()[..dtype.size()].to_vec()
    });
    metadata["data_type"] = json!(types::name(dtype));
    metadata["fill_value"] = serde_json::to_value(data_type.metadata_fill_value(&fill)?)?;
    if let Some(codecs) = metadata["codecs"].as_array_mut() {
        for_elements(codecs, source, dtype)?;
    }
    // `Debug` shows every field of a clamp; `Display` does not.
    let clamps: Vec<_> = channels.list.iter().map(|clamp| format!("{clamp:?}")).collect();
    let made = json!({ "source": types::name(source), "axis": channels.axis, "clamps": clamps });
    let attributes =
        metadata.as_object_mut().map(|metadata| metadata.entry("attributes").or_insert_with(|| json!({})));
    if let Some(Value::Object(attributes)) = attributes {
        attributes.insert("clamp_zarr".to_owned(), made);
    }
    Ok(metadata)
}

/// Adapts the configuration of codecs to the elements.
fn for_elements(codecs: &mut [Value], source: DType, dtype: DType) -> Result<()> {
    for codec in codecs {
        // A name alone stands for a codec without a configuration.
        let name = codec.as_str().or_else(|| codec["name"].as_str()).unwrap_or_default().to_owned();
        let bytes = name == "bytes";
        if codec.is_string() && bytes {
            *codec = json!({ "name": name });
        }
        let Some(codec) = codec.as_object_mut() else { continue };
        if bytes && dtype.size() > 1 {
            let configuration = codec.entry("configuration").or_insert_with(|| Map::new().into());
            if configuration.get("endian").is_none_or(Value::is_null) {
                configuration["endian"] = json!("little");
            }
        }
        let (from, to) = (types::name(source), types::name(dtype));
        if source != dtype && ["bitround", "zfp"].iter().any(|lossy| name.contains(lossy)) {
            let others = format!("OUT is {to}, whose bits mean something else");
            return Err(format!("IN's codec {name} drops bits of {from}; {others}").into());
        }
        let Some(Value::Object(configuration)) = codec.get_mut("configuration") else { continue };
        if configuration.contains_key("dtype") && source != dtype {
            return Err(format!("IN's codec {name} is for {from}, and the output would be {to}").into());
        }
        for key in ["typesize", "elementsize"] {
            if let Some(size) = configuration.get_mut(key) {
                *size = json!(dtype.size());
            }
        }
        if let Some(Value::Array(inner)) = configuration.get_mut("codecs") {
            for_elements(inner, source, dtype)?;
        }
    }
    Ok(())
}

/// The first key of two descriptions that differs, in words.
fn difference(there: &Value, here: &Value) -> Option<String> {
    let none = Map::new();
    let [there, here] = [there, here].map(|value| value.as_object().unwrap_or(&none));
    let key = there.keys().chain(here.keys()).find(|key| there.get(*key) != here.get(*key))?;
    let [there, here] = [there, here].map(|all| all.get(key).map_or("absent".to_owned(), Value::to_string));
    Some(format!("differs in {key}: {there}, not {here}"))
}
