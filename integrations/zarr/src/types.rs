//! Data types of Zarr, as the crate's.

use wgpu_clamp::DType;
use zarrs::array::DataType;
use zarrs::metadata::v3::MetadataV3;
use zarrs::plugin::{ExtensionName as _, ZarrVersion};

use crate::Result;

/// The names of Zarr's version 3.
const NAMES: [(&str, DType); 12] = [
    ("float32", DType::F32),
    ("float16", DType::F16),
    ("bfloat16", DType::BF16),
    ("float64", DType::F64),
    ("int8", DType::I8),
    ("int16", DType::I16),
    ("int32", DType::I32),
    ("int64", DType::I64),
    ("uint8", DType::U8),
    ("uint16", DType::U16),
    ("uint32", DType::U32),
    ("uint64", DType::U64),
];

/// The crate's name for a data type.
pub fn dtype(data_type: &DataType) -> Result<DType> {
    let name = data_type.name(ZarrVersion::V3).unwrap_or_default();
    let found = NAMES.iter().find(|(known, _)| *known == name);
    let known = NAMES.map(|(name, _)| name).join(", ");
    Ok(found
        .ok_or_else(|| format!("IN: its data type is {name:?}; those that can be clamped are {known}"))?
        .1)
}

/// Zarr's name.
pub fn name(dtype: DType) -> &'static str {
    NAMES.iter().find(|(_, known)| *known == dtype).map_or("", |(name, _)| name)
}

/// Zarr's data type.
pub fn data_type(dtype: DType) -> Result<DataType> {
    Ok(DataType::from_metadata(&MetadataV3::new(name(dtype)))?)
}
