//! The header of a `.npy` file: read strictly, written as `NumPy` writes it.
//!
//! [The format](https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): six bytes of magic, two of
//! version, the length of the rest in two bytes (version 1.0) or four (2.0, 3.0), and a dictionary in the notation
//! of Python with the keys `descr`, `fortran_order` and `shape`. The data follows.

// Also where a fuzz target includes this file by its path.
#[path = "npy/literal.rs"]
mod literal;

use std::fmt;
use std::io::Read;

use literal::Value;
use wgpu_clamp::DType;

use super::Result;

const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// What `NumPy` reads from files that it does not trust.
const LONGEST: usize = 10_000;

/// The data begins at a multiple of this, in bytes.
const ALIGN: usize = 64;

/// So many digits fit in the place of the extent that grows when data is appended.
const GROWTH: usize = 21;

const SUPPORTED: &str = "supported are i1, i2, i4, i8, u1, u2, u4, u8, f2, f4 and f8";

/// What a file holds.
#[derive(Clone, Debug)]
pub struct Header {
    pub dtype: DType,
    pub big_endian: bool,
    pub fortran_order: bool,
    pub shape: Vec<u64>,
    /// How many elements the shape has.
    pub elements: u64,
    /// Their size.
    pub bytes: u64,
    /// Where they begin in the file.
    start: u64,
}

impl Header {
    /// Reads as far as the data.
    pub fn read(input: &mut impl Read) -> Result<Self> {
        let mut begin = [0; 8];
        let mut read = 0;
        while read < begin.len() {
            match input.read(&mut begin[read..])? {
                0 => break,
                n => read += n,
            }
        }
        if read < MAGIC.len() || begin[..6] != MAGIC {
            let what = match &begin[..read] {
                [] => "it is empty",
                [b'P', b'K', ..] => {
                    "it is a .npz or another zip archive; unpack it, the .npy files are inside"
                }
                _ => r"it does not begin with \x93NUMPY",
            };
            return Err(format!("not a .npy file: {what}").into());
        }
        let ends = |_| "it ends within its header";
        let (len, width) = match (read, begin[6], begin[7]) {
            (8, 1, 0) => {
                let mut len = [0; 2];
                input.read_exact(&mut len).map_err(ends)?;
                (usize::from(u16::from_le_bytes(len)), 2)
            }
            (8, 2 | 3, 0) => {
                let mut len = [0; 4];
                input.read_exact(&mut len).map_err(ends)?;
                (u32::from_le_bytes(len) as usize, 4)
            }
            (8, major, minor) => {
                return Err(format!("its version is {major}.{minor}; 1.0, 2.0 and 3.0 are known").into());
            }
            _ => return Err("it ends within its header".into()),
        };
        if len > LONGEST {
            return Err(format!("its header has {len} bytes; at most {LONGEST} are read, as by NumPy").into());
        }
        let mut text = vec![0; len];
        input.read_exact(&mut text).map_err(ends)?;
        let text = match begin[6] {
            3 => String::from_utf8(text).map_err(|_| "its header is not UTF-8")?,
            // Latin-1, whose characters are Unicode's first.
            _ => text.into_iter().map(char::from).collect(),
        };
        let start = (begin.len() + width + len) as u64;
        Self::parse(&text, start).map_err(|error| format!("{error} (its header: {})", text.trim()).into())
    }

    fn parse(text: &str, start: u64) -> Result<Self> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        for (key, value) in literal::dictionary(text)? {
            let twice = match key {
                "descr" => descr.replace(value).is_some(),
                "fortran_order" => fortran_order.replace(value).is_some(),
                "shape" => shape.replace(value).is_some(),
                _ => return Err(format!("the key {key:?} is unknown").into()),
            };
            if twice {
                return Err(format!("the key {key:?} is there twice").into());
            }
        }
        let (Some(descr), Some(fortran_order), Some(shape)) = (descr, fortran_order, shape) else {
            return Err("a header needs the keys descr, fortran_order and shape".into());
        };
        let (dtype, big_endian) = match descr {
            Value::Text(code) => element_type(code)?,
            Value::List => {
                return Err(format!("its elements are structures; {SUPPORTED}: save one field").into());
            }
            _ => return Err("descr is neither a string nor a list".into()),
        };
        let Value::Truth(fortran_order) = fortran_order else {
            return Err("fortran_order is neither True nor False".into());
        };
        let Value::Tuple(extents) = shape else {
            return Err("shape is not a tuple".into());
        };
        let extent =
            |value| if let Value::Number(n) = value { Ok(n) } else { Err("shape is not of integers") };
        let shape = extents.into_iter().map(extent).collect::<std::result::Result<Vec<_>, _>>()?;
        let sizes = if shape.contains(&0) {
            Some((0, 0))
        } else {
            let elements = shape.iter().try_fold(1_u64, |product, extent| product.checked_mul(*extent));
            elements.and_then(|n| {
                Some((n, n.checked_mul(dtype.size() as u64).filter(|n| i64::try_from(*n).is_ok())?))
            })
        };
        let (elements, bytes) = sizes.ok_or("shape has more elements than a file can hold")?;
        Ok(Self { dtype, big_endian, fortran_order, shape, elements, bytes, start })
    }

    /// Whether a file of `length` bytes is this header and its data, if the length is known.
    pub fn check_length(&self, length: Option<u64>) -> Result<()> {
        let Some(data) = length.map(|length| length.saturating_sub(self.start)) else { return Ok(()) };
        let Self { dtype, elements, bytes, .. } = self;
        if data < *bytes {
            return Err(format!(
                "it is truncated: {elements} elements of {dtype} are {bytes} bytes, but {data} follow its header"
            )
            .into());
        }
        if data > *bytes {
            return Err(format!(
                "{} bytes follow after its {elements} elements of {dtype}; a file must hold one array and \
                 nothing else",
                data - bytes
            )
            .into());
        }
        Ok(())
    }

    /// The same array with elements of another type.
    pub fn with_dtype(&self, dtype: DType) -> Result<Self> {
        let bytes = self.elements.checked_mul(dtype.size() as u64).filter(|n| i64::try_from(*n).is_ok());
        let bytes = bytes
            .ok_or_else(|| format!("{} elements of {dtype} are more than a file can hold", self.elements))?;
        Ok(Self { dtype, bytes, ..self.clone() })
    }

    /// What `numpy.save` writes for such an array, byte for byte.
    pub fn to_bytes(&self) -> Vec<u8> {
        let order = match (self.dtype.size(), self.big_endian) {
            (1, _) => '|',
            (_, false) => '<',
            (_, true) => '>',
        };
        let mut text = format!(
            "{{'descr': '{order}{}', 'fortran_order': {}, 'shape': {}, }}",
            code(self.dtype),
            if self.fortran_order { "True" } else { "False" },
            tuple(&self.shape),
        );
        let grows = if self.fortran_order { self.shape.last() } else { self.shape.first() };
        if let Some(extent) = grows {
            text += &" ".repeat(GROWTH.saturating_sub(extent.to_string().len()));
        }
        // At most three bytes for two of a header that was read, so version 1.0 has room for it.
        let before = MAGIC.len() + 4;
        let len = (before + text.len() + 1 + ALIGN) / ALIGN * ALIGN - before;
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((len as u16).to_le_bytes());
        bytes.extend(text.bytes());
        bytes.resize(before + len - 1, b' ');
        bytes.push(b'\n');
        bytes
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dtype, elements, .. } = self;
        write!(f, "{elements} elements of {dtype}, shape {}", tuple(&self.shape))?;
        f.write_str(if self.fortran_order { ", Fortran order" } else { ", C order" })?;
        f.write_str(if self.big_endian && dtype.size() > 1 { ", big-endian" } else { "" })
    }
}

/// As Python writes a tuple of numbers.
fn tuple(numbers: &[u64]) -> String {
    match numbers {
        [one] => format!("({one},)"),
        _ => format!("({})", numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn code(dtype: DType) -> String {
    let kind = match dtype {
        _ if dtype.is_float() => 'f',
        _ if dtype.is_signed_integer() => 'i',
        _ => 'u',
    };
    format!("{kind}{}", dtype.size())
}

/// The dtype that a string such as `<f4` names, and whether it is big-endian.
fn element_type(descr: &str) -> Result<(DType, bool)> {
    let (order, name) = match descr.chars().next() {
        Some(order @ ('<' | '>' | '|' | '=')) => (order, &descr[1..]),
        _ => return Err(format!("descr is {descr:?}, which gives no byte order").into()),
    };
    let shared = DType::ALL.into_iter().filter(|dtype| *dtype != DType::BF16);
    let Some(dtype) = shared.into_iter().find(|dtype| code(*dtype) == name) else {
        let what = match name.as_bytes() {
            b"b1" => "booleans (as u1: `x.view('u1')`)",
            [b'f', ..] => "long doubles (as f8: `x.astype('f8')`)",
            [b'c', ..] => "complex numbers (parts as floats: `x.view('f4')` or `x.view('f8')`)",
            [b'S' | b'a' | b'U', ..] => "strings",
            [b'O', ..] => "Python objects",
            [b'M', ..] => "dates",
            [b'm', ..] => "durations",
            [b'V', ..] => "raw bytes, which is also how bfloat16 is saved (as f4: `x.astype('f4')`)",
            _ => "of an unknown type",
        };
        return Err(format!("its elements, {descr}, are {what}; {SUPPORTED}").into());
    };
    match order {
        '<' => Ok((dtype, false)),
        '>' => Ok((dtype, true)),
        _ if dtype.size() == 1 => Ok((dtype, false)),
        _ => Err(format!("descr is {descr:?}; the byte order must be < or >").into()),
    }
}
