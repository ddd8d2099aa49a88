//! Converts between Zarr's data types and the crate's dtypes.

use wgpu_clamp::DType;
use zarrs::array::DataType;
use zarrs::metadata::v3::MetadataV3;
use zarrs::plugin::{ExtensionName as _, ZarrVersion};

use crate::Result;

/// The crate's dtype for a data type.
pub fn dtype(data_type: &DataType) -> Result<DType> {
    let found = data_type.name(ZarrVersion::V3).unwrap_or_default();
    let known = DType::ALL.map(name).join(", ");
    let dtype = DType::ALL.into_iter().find(|&dtype| name(dtype) == found);
    Ok(dtype
        .ok_or_else(|| format!("IN: its data type is {found:?}; those that can be clamped are {known}"))?)
}

/// The name in Zarr's version 3: `float32` of F32.
pub fn name(dtype: DType) -> String {
    let kind = match dtype {
        DType::BF16 => "bfloat",
        _ if dtype.is_float() => "float",
        _ if dtype.is_signed_integer() => "int",
        _ => "uint",
    };
    format!("{kind}{}", dtype.bits())
}

/// Zarr's data type.
pub fn data_type(dtype: DType) -> Result<DataType> {
    Ok(DataType::from_metadata(&MetadataV3::new(name(dtype)))?)
}
