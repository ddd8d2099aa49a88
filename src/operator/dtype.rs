//! The twelve element types.

use std::fmt;
use std::str::FromStr;

use super::format::FloatFormat;
use crate::Error;
use crate::fragment::{Fragment, fragment};

/// The element type of a tensor.
///
/// All twelve work on every adapter: shaders see bits in 32-bit words, and need no optional GPU feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DType {
    /// IEEE 754 binary32 (`f32`).
    F32,
    /// IEEE 754 binary16: [`wgpu_clamp::half::f16`](crate::half::f16).
    F16,
    /// bfloat16, the upper half of a binary32: [`wgpu_clamp::half::bf16`](crate::half::bf16).
    BF16,
    /// IEEE 754 binary64 (`f64`).
    F64,
    /// 8-bit two's complement integer (`i8`).
    I8,
    /// 16-bit two's complement integer (`i16`).
    I16,
    /// 32-bit two's complement integer (`i32`).
    I32,
    /// 64-bit two's complement integer (`i64`).
    I64,
    /// 8-bit unsigned integer (`u8`).
    U8,
    /// 16-bit unsigned integer (`u16`).
    U16,
    /// 32-bit unsigned integer (`u32`).
    U32,
    /// 64-bit unsigned integer (`u64`).
    U64,
}

/// The properties of a dtype: a row of the [table](DType::row).
#[derive(Clone, Copy)]
struct Row {
    /// Lower-case name; also the name of the dtype's files in `shaders/`.
    name: &'static str,
    bits: u32,
    kind: Kind,
    /// Shader code that turns elements into the numbers that shaders compute with.
    source: Option<Fragment>,
    /// Shader code that turns results into elements.
    destination: Fragment,
}

/// The kind of a dtype's numbers.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Float(FloatFormat),
    Signed,
    Unsigned,
}

/// A [`Row`] with the fragments named after the dtype.
macro_rules! row {
    ($name:literal, $bits:literal, $kind:expr) => {
        row!($name, $bits, $kind, source: Some(fragment!("source/", $name)))
    };
    ($name:literal, $bits:literal, $kind:expr, source: $source:expr) => {
        Row { name: $name, bits: $bits, kind: $kind, source: $source, destination: fragment!("destination/", $name) }
    };
}

impl DType {
    /// Every element type, in declaration order.
    pub const ALL: [Self; 12] = [
        Self::F32,
        Self::F16,
        Self::BF16,
        Self::F64,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
    ];

    /// The table of dtypes. The CPU reference has its own.
    const fn row(self) -> Row {
        match self {
            Self::F32 => row!("f32", 32, Kind::Float(FloatFormat::F32)),
            Self::F16 => row!("f16", 16, Kind::Float(FloatFormat::F16)),
            Self::BF16 => row!("bf16", 16, Kind::Float(FloatFormat::BF16)),
            // F64 is never converted.
            Self::F64 => row!("f64", 64, Kind::Float(FloatFormat::F64), source: None),
            Self::I8 => row!("i8", 8, Kind::Signed),
            Self::I16 => row!("i16", 16, Kind::Signed),
            Self::I32 => row!("i32", 32, Kind::Signed),
            Self::I64 => row!("i64", 64, Kind::Signed),
            Self::U8 => row!("u8", 8, Kind::Unsigned),
            Self::U16 => row!("u16", 16, Kind::Unsigned),
            Self::U32 => row!("u32", 32, Kind::Unsigned),
            Self::U64 => row!("u64", 64, Kind::Unsigned),
        }
    }

    pub(crate) const fn kind(self) -> Kind {
        self.row().kind
    }

    /// The lowest and the highest number of an integer dtype.
    pub(crate) const fn integer_range(self) -> (i128, i128) {
        let bits = self.bits();
        match self.kind() {
            Kind::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Kind::Unsigned => (0, (1 << bits) - 1),
            Kind::Float(_) => panic!("floats are no integers"),
        }
    }

    /// The number that `bits` stand for in an integer dtype.
    pub(crate) const fn integer(self, bits: u64) -> i128 {
        let unused = 64 - self.bits();
        match self.kind() {
            Kind::Signed => ((bits << unused).cast_signed() >> unused) as i128,
            Kind::Unsigned => bits as i128,
            Kind::Float(_) => panic!("floats are no integers"),
        }
    }

    /// Shader code that turns elements into the numbers that shaders compute with; `None` for F64, which needs none.
    pub(crate) const fn source_fragment(self) -> Option<Fragment> {
        self.row().source
    }

    /// Shader code that turns results into elements.
    pub(crate) const fn destination_fragment(self) -> Fragment {
        self.row().destination
    }

    /// The dtypes that convert into each other, see [`Clamp::with_source`](crate::Clamp::with_source): all dtypes of up
    /// to 32 bits.
    pub const CONVERTIBLE: [Self; 9] =
        [Self::U8, Self::I8, Self::U16, Self::I16, Self::U32, Self::I32, Self::F16, Self::BF16, Self::F32];

    /// Whether a clamp may take elements of this dtype and produce elements of `dtype`.
    pub(crate) fn converts_to(self, dtype: Self) -> bool {
        self == dtype || [self, dtype].iter().all(|one| Self::CONVERTIBLE.contains(one))
    }

    /// Whether a clamp of this dtype may have its scale or bias on the GPU.
    pub(crate) const fn takes_affine_on_gpu(self) -> bool {
        match self {
            Self::F32 | Self::F16 | Self::BF16 | Self::U8 | Self::I8 | Self::U16 | Self::I16 => true,
            Self::U32 | Self::I32 | Self::U64 | Self::I64 | Self::F64 => false,
        }
    }

    /// The size of one element in bytes: 1, 2, 4 or 8.
    ///
    /// ```
    /// # use wgpu_clamp::DType;
    /// assert_eq!(DType::BF16.size(), 2);
    /// ```
    #[must_use]
    pub const fn size(self) -> usize {
        self.bits() as usize / 8
    }

    /// The size of one element in bits: 8, 16, 32 or 64.
    ///
    /// ```
    /// # use wgpu_clamp::DType;
    /// assert_eq!(DType::I64.bits(), 64);
    /// ```
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.row().bits
    }

    /// Whether the type is one of the four float formats.
    ///
    /// ```
    /// # use wgpu_clamp::DType;
    /// assert!(DType::F16.is_float() && !DType::I16.is_float());
    /// ```
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float(_))
    }

    /// Whether the type is a two's complement integer.
    ///
    /// ```
    /// # use wgpu_clamp::DType;
    /// assert!(DType::I8.is_signed_integer() && !DType::U8.is_signed_integer());
    /// ```
    #[must_use]
    pub const fn is_signed_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed)
    }

    /// The lower-case name: `"f32"`, `"bf16"`, `"u8"` and so on.
    ///
    /// ```
    /// # use wgpu_clamp::DType;
    /// assert_eq!(DType::BF16.name(), "bf16");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Parses the lower-case [`name`](DType::name), or the longer name of `NumPy` (bfloat16 is from `ml_dtypes`) and Zarr:
/// `"float32"`, `"bfloat16"`, `"uint8"` and so on.
///
/// ```
/// # use wgpu_clamp::DType;
/// assert_eq!("bf16".parse(), Ok(DType::BF16));
/// let long = ["bfloat16", "float32", "int8", "uint64"].map(str::parse);
/// assert_eq!(long, [DType::BF16, DType::F32, DType::I8, DType::U64].map(Ok));
/// let error = "fp16".parse::<DType>().unwrap_err().to_string();
/// assert_eq!(error, "dtype: \"fp16\" is unknown; give f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32 or u64, or a name like float32");
/// ```
impl FromStr for DType {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let abbreviated = [("float", "f"), ("bfloat", "bf"), ("int", "i"), ("uint", "u")]
            .into_iter()
            .find_map(|(long, short)| Some(format!("{short}{}", name.strip_prefix(long)?)));
        let short = abbreviated.as_deref().unwrap_or(name);
        let found = Self::ALL.into_iter().find(|dtype| dtype.name() == short);
        found.ok_or_else(|| {
            let names =
                "give f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32 or u64, or a name like float32";
            Error::argument("dtype", format!("{name:?} is unknown"), names)
        })
    }
}
