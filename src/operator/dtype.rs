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
#[non_exhaustive]
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

/// The properties of a dtype: a row of the [table](DType::facts).
#[derive(Clone, Copy)]
struct Facts {
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

/// A [`Facts`] with the fragments named after the dtype.
macro_rules! row {
    ($name:literal, $bits:literal, $kind:expr) => {
        row!($name, $bits, $kind, source: Some(fragment!("source/", $name)))
    };
    ($name:literal, $bits:literal, $kind:expr, source: $source:expr) => {
        Facts { name: $name, bits: $bits, kind: $kind, source: $source, destination: fragment!("destination/", $name) }
    };
}

impl DType {
    /// Every element type, in declaration order.
    pub const ALL: &'static [Self] = &[
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
    const fn facts(self) -> Facts {
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
        self.facts().kind
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
        self.facts().source
    }

    /// Shader code that turns results into elements.
    pub(crate) const fn destination_fragment(self) -> Fragment {
        self.facts().destination
    }

    /// The dtypes that convert into each other, see [`Clamp::with_source`](crate::Clamp::with_source): all dtypes of up
    /// to 32 bits.
    pub const CONVERTIBLE: &'static [Self] =
        &[Self::U8, Self::I8, Self::U16, Self::I16, Self::U32, Self::I32, Self::F16, Self::BF16, Self::F32];

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
        self.facts().bits
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

    /// The dtype of a code of `NumPy` without the byte order: `f4`, `u1`. `NumPy` has no BF16.
    fn of_code(code: &str) -> Option<Self> {
        let has_it =
            |dtype: &Self| *dtype != Self::BF16 && code == format!("{}{}", &dtype.name()[..1], dtype.size());
        Self::ALL.iter().copied().find(has_it)
    }

    /// The integers that `PyTorch` and `TensorFlow` name with a `q` where they hold quantised numbers.
    const QUANTIZED: [&str; 5] = ["int8", "uint8", "int16", "uint16", "int32"];

    /// The dtype of a name in lower case: `f32`, `float32`, `fp32`, `torch.float32` or `quint8`.
    fn of_name(name: &str) -> Option<Self> {
        const LONG: [(&str, &str); 7] = [
            ("float", "f"),
            ("fp", "f"),
            ("bfloat", "bf"),
            ("int", "i"),
            ("uint", "u"),
            ("half", "f16"),
            ("double", "f64"),
        ];
        let name = name.strip_prefix("torch.").unwrap_or(name);
        let name = name.strip_prefix('q').filter(|rest| Self::QUANTIZED.contains(rest)).unwrap_or(name);
        let short =
            LONG.into_iter().find_map(|(long, short)| Some(format!("{short}{}", name.strip_prefix(long)?)));
        let short = short.as_deref().unwrap_or(name);
        Self::ALL.iter().copied().find(|dtype| dtype.name() == short)
    }

    /// The lower-case name: `"f32"`, `"bf16"`, `"u8"` and so on.
    ///
    /// ```
    /// # use wgpu_clamp::DType;
    /// assert_eq!(DType::BF16.name(), "bf16");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }
}

impl FloatFormat {
    /// The format of a dtype, `None` for an integer.
    pub(crate) const fn of(dtype: DType) -> Option<Self> {
        match dtype.kind() {
            Kind::Float(format) => Some(format),
            Kind::Signed | Kind::Unsigned => None,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Parses the names that programs and files use:
///
/// - in any case the [`name`](DType::name), as `f32`, or a longer name: `float32`, `FP16`, `bfloat16`, `INT8`,
///   `torch.uint8`, `quint8`, `half`, `double`;
/// - a type of ONNX, `tensor(int8)` or `tensor(float)`, which has 32 bits;
/// - ONNX's `FLOAT` in capitals only, since Python's `float` has 64 bits;
/// - a code of `NumPy`, which begins with `<`, `|` or `=` and counts bytes: `<f4`, `|u1`, and `<i8` for `i64`. A
///   big-endian `>f4` is refused, since elements are little-endian.
///
/// ```
/// # use wgpu_clamp::DType;
/// let pasted = ["bf16", "float32", "FLOAT16", "torch.uint8", "<f4", "tensor(int8)"].map(str::parse);
/// use DType::{BF16, F16, F32, I8, U8};
/// assert_eq!(pasted, [BF16, F32, F16, U8, F32, I8].map(Ok));
/// let error = ">f4".parse::<DType>().unwrap_err().to_string();
/// assert_eq!(error, "dtype: \">f4\" is big-endian; swap the bytes of each element, and give \"<f4\"");
/// ```
impl FromStr for DType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let element = text.strip_prefix("tensor(").and_then(|rest| rest.strip_suffix(')'));
        let found = match (text.strip_prefix(['<', '|', '=', '>']), element) {
            (Some(code), _) => Self::of_code(code),
            (_, Some("float")) => Some(Self::F32),
            (_, None) if text == "FLOAT" => Some(Self::F32),
            (_, element) => Self::of_name(&element.unwrap_or(text).to_ascii_lowercase()),
        };
        let Some(dtype) = found else {
            let names = "give f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32 or u64, a name like float32, or a \
                         code like <f4";
            return Err(Error::argument("dtype", format!("{text:?} is unknown"), names));
        };
        if text.starts_with('>') && dtype.size() > 1 {
            let remedy = format!("swap the bytes of each element, and give \"<{}\"", &text[1..]);
            return Err(Error::argument("dtype", format!("{text:?} is big-endian"), remedy));
        }
        Ok(dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_programs_print() {
        for (dtype, names) in [
            (
                DType::F32,
                "tensor(float) tensor(float32) f32 F32 float32 Float32 FLOAT32 FLOAT fp32 FP32 torch.float32 <f4 =f4",
            ),
            (
                DType::F16,
                "tensor(float16) f16 F16 float16 FLOAT16 fp16 FP16 half HALF torch.float16 torch.half <f2 =f2",
            ),
            (DType::BF16, "tensor(bfloat16) bf16 BF16 bfloat16 BFLOAT16 torch.bfloat16"),
            (DType::F64, "tensor(double) f64 float64 FP64 double DOUBLE torch.float64 torch.double <f8 =f8"),
            (DType::I8, "tensor(int8) qint8 torch.qint8 i8 I8 int8 INT8 torch.int8 |i1 <i1 =i1 >i1"),
            (DType::I16, "qint16 i16 int16 INT16 torch.int16 <i2 =i2"),
            (DType::I32, "tensor(int32) QInt32 torch.qint32 i32 int32 INT32 torch.int32 <i4 =i4"),
            (DType::I64, "tensor(int64) i64 int64 INT64 torch.int64 <i8 =i8"),
            (
                DType::U8,
                "tensor(uint8) quint8 torch.quint8 u8 U8 uint8 UInt8 UINT8 torch.uint8 |u1 <u1 =u1 >u1",
            ),
            (DType::U16, "quint16 u16 uint16 UINT16 torch.uint16 <u2 =u2"),
            (DType::U32, "u32 uint32 UINT32 torch.uint32 <u4 =u4"),
            (DType::U64, "u64 uint64 UINT64 torch.uint64 <u8 =u8"),
        ] {
            for name in names.split(' ') {
                assert_eq!(name.parse(), Ok(dtype), "{name}");
            }
        }
    }

    #[test]
    fn other_names_are_refused() {
        let names = "\u{20}f f8 f128 fp8 bf32 i i4 u1 uint int8_t float Float torch.float half16 halff16 xf32 \
                     bool b1 <b2 <bf16 <f16 <f3 <f <c8 <U4 |b1 <> >q9 qint64 quint4x2 qu8 qq q tensor(FLOAT) tensor(bool) tensor(<f4) tensor(int8 tensor() seq(int8) int8) <<f4 f4 complex64 ï8";
        for name in names.split(' ').chain(["", " f32", "f32 "]) {
            let said = name.parse::<DType>().unwrap_err().to_string();
            assert!(said.starts_with(&format!("dtype: {name:?} is unknown; give f32, ")), "{said}");
        }
        for dtype in DType::ALL.iter().copied().filter(|&dtype| dtype.size() > 1 && dtype != DType::BF16) {
            let code = format!("{}{}", &dtype.name()[..1], dtype.size());
            let said = format!(">{code}").parse::<DType>().unwrap_err().to_string();
            let remedy = format!("swap the bytes of each element, and give \"<{code}\"");
            assert_eq!(said, format!("dtype: \">{code}\" is big-endian; {remedy}"));
            assert_eq!(format!("<{code}").parse(), Ok(dtype));
        }
    }
}
