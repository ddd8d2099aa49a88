//! The operation, as Python passes it.

use pyo3::exceptions::PyValueError;
use pyo3::{FromPyObject, PyErr, PyResult};
use wgpu_clamp::{Clamp, Clamps, DType, Error, Number, Precision, Rounding, Scalar};

use crate::to_python;

/// A Python dict with these keys.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Operation {
    source: String,
    dtype: String,
    precision: String,
    rounding: String,
    /// The channels along `axis`; one channel without an axis.
    channels: Vec<Channel>,
    axis: Option<usize>,
}

/// Min and max, as bits of the dtype; scale; bias.
#[derive(FromPyObject)]
struct Channel(Option<u64>, Option<u64>, f64, f64);

impl Operation {
    /// The clamp of each channel.
    pub fn clamps(&self) -> PyResult<Vec<Clamp>> {
        let [source, dtype] = [&self.source, &self.dtype].map(|name| name.parse().map_err(to_python));
        let (source, dtype) = (source?, dtype?);
        let precision = match &*self.precision {
            "fast" => Precision::Fast,
            "exact" => Precision::Exact,
            other => return Err(unknown("precision", other, "\"fast\" or \"exact\"")),
        };
        let rounding = match &*self.rounding {
            "toward_zero" => Rounding::TowardZero,
            "nearest_even" => Rounding::NearestEven,
            other => return Err(unknown("rounding", other, "\"toward_zero\" or \"nearest_even\"")),
        };
        let clamp = |channel: &Channel| {
            let clamp = channel.clamp(source, dtype)?;
            Ok(clamp.with_precision(precision).with_rounding(rounding))
        };
        self.channels.iter().map(clamp).collect::<Result<_, _>>().map_err(to_python)
    }

    /// The clamps of all channels, or the one clamp of all elements.
    pub fn along<'a>(&self, clamps: &'a [Clamp]) -> Clamps<'a> {
        match (self.axis, clamps) {
            (None, [clamp]) => clamp.into(),
            (axis, clamps) => Clamps::along(axis.unwrap_or(0), clamps),
        }
    }
}

impl Channel {
    fn clamp(&self, source: DType, dtype: DType) -> Result<Clamp, Error> {
        let &Self(min, max, scale, bias) = self;
        let bound = |bits: Option<u64>| match bits {
            Some(value) => Scalar::from_bits(dtype, value).map(Number::from),
            None => Ok(Number::Absent),
        };
        let (min, max) = (bound(min)?, bound(max)?);
        let clamp = Clamp::unbounded(dtype).with_bounds(min, max)?.with_source(source)?;
        match dtype {
            DType::F64 => clamp.with_affine(scale, bias),
            _ => clamp.with_affine(scale as f32, bias as f32),
        }
    }
}

fn unknown(argument: &str, value: &str, needed: &str) -> PyErr {
    PyValueError::new_err(format!("{argument}: {value:?} is unknown; {needed} is needed"))
}
