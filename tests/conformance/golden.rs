//! The records of `tests/data/golden`: what real systems computed.

use std::path::Path;

use serde::Deserialize;
use wgpu_clamp::DType;

/// One record. Bits are those of an element, zero-extended.
pub struct Record {
    /// The file's name and the record's: ids repeat across files.
    pub file: String,
    pub id: String,
    pub opset: Option<u32>,
    pub dtype: DType,
    pub shape: Vec<usize>,
    /// In the dtype of the bound: that of the elements, or f32 or f64 for attributes.
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub x: Vec<u64>,
    /// `None` where the system refused or died.
    pub y: Option<Vec<u64>>,
    /// Elements for which the output breaks the operator's own definition.
    pub deviates: Vec<usize>,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    opset: Option<u32>,
    dtype: String,
    shape: Vec<usize>,
    min_bits: Option<String>,
    max_bits: Option<String>,
    x_bits: Option<Vec<String>>,
    y_bits: Option<Vec<String>>,
    error: Option<String>,
    same_as: Option<String>,
    #[serde(default)]
    deviates: Vec<usize>,
}

pub fn dtype(name: &str) -> DType {
    DType::ALL.into_iter().find(|dtype| dtype.name() == name).unwrap_or_else(|| panic!("no dtype {name}"))
}

fn bits(hex: &str) -> u64 {
    u64::from_str_radix(hex.strip_prefix("0x").unwrap(), 16).unwrap()
}

/// All records, in the order of the files' names. A record that names another as its twin is that one once more.
pub fn records() -> Vec<Record> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
    let mut paths: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 8, "a golden file is missing");
    paths.iter().flat_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vec<Record> {
    let file = path.file_stem().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Line> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let data = |line: &Line| {
        let twin = line.same_as.as_ref().map(|id| lines.iter().position(|line| line.id == *id).unwrap());
        twin.unwrap_or_else(|| lines.iter().position(|other| other.id == line.id).unwrap())
    };
    lines
        .iter()
        .map(|line| {
            let data = &lines[data(line)];
            assert_eq!(data.y_bits.is_none(), data.error.is_some(), "{file} {}", line.id);
            let all = |hex: &Vec<String>| hex.iter().map(|hex| bits(hex)).collect::<Vec<_>>();
            let record = Record {
                file: file.to_owned(),
                id: line.id.clone(),
                opset: line.opset,
                dtype: dtype(&line.dtype),
                shape: line.shape.clone(),
                min: data.min_bits.as_deref().map(bits),
                max: data.max_bits.as_deref().map(bits),
                x: data.x_bits.as_ref().map(all).unwrap(),
                y: data.y_bits.as_ref().map(all),
                deviates: data.deviates.clone(),
            };
            assert_eq!(record.x.len(), record.shape.iter().product::<usize>(), "{file} {}", line.id);
            record
        })
        .collect()
}
