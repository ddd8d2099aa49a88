//! Feature levels, and the dtypes and ranks that each supports.

use std::fmt;
use std::ops::RangeInclusive;

use crate::{DType, MAX_RANK};

/// `DML_FEATURE_LEVEL`: what a device supports, as a version. The default is the newest level that this crate knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are DirectML's own")]
#[non_exhaustive]
pub enum FeatureLevel {
    V1_0,
    V2_0,
    V2_1,
    V3_0,
    V3_1,
    V4_0,
    V4_1,
    V5_0,
    V5_1,
    V5_2,
    V6_0,
    V6_1,
    V6_2,
    V6_3,
    #[default]
    V6_4,
}

impl FeatureLevel {
    /// The element types of `DML_ELEMENT_WISE_CLIP_OPERATOR_DESC` (section "Tensor support"). No level has BF16 or F64.
    ///
    /// ```
    /// # use wgpu_clamp::{DType, standards::directml::FeatureLevel};
    /// assert_eq!(FeatureLevel::V1_0.dtypes(), [DType::F32, DType::F16]);
    /// assert!(FeatureLevel::V5_0.dtypes().contains(&DType::I64));
    /// ```
    #[must_use]
    pub fn dtypes(self) -> &'static [DType] {
        use DType::{F16, F32, I8, I16, I32, I64, U8, U16, U32, U64};
        static DTYPES: [DType; 10] = [F32, F16, I8, I16, I32, U8, U16, U32, I64, U64];
        if self < Self::V2_1 {
            &DTYPES[..2]
        } else if self < Self::V5_0 {
            &DTYPES[..8]
        } else {
            &DTYPES
        }
    }

    pub(in crate::standards) fn since(dtype: DType) -> Option<Self> {
        [Self::V1_0, Self::V2_1, Self::V5_0].into_iter().find(|level| level.dtypes().contains(&dtype))
    }

    /// The numbers of dimensions that a tensor of the operator may have: 4 below level 3.0, 1 to 8 from 3.0 on.
    ///
    /// ```
    /// # use wgpu_clamp::standards::directml::FeatureLevel;
    /// assert_eq!(FeatureLevel::V2_1.ranks(), 4..=4);
    /// assert_eq!(FeatureLevel::default().ranks(), 1..=8);
    /// ```
    #[must_use]
    pub fn ranks(self) -> RangeInclusive<usize> {
        if self < Self::V3_0 { 4..=4 } else { 1..=MAX_RANK }
    }
}

impl fmt::Display for FeatureLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `V1_0` is 1.0.
        f.pad(&format!("{self:?}")[1..].replace('_', "."))
    }
}
