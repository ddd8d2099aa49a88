//! The options that say what is computed, and the clamp that they ask for.

use lexopt::ValueExt as _;
use wgpu_clamp::standards::directml::{ElementWiseClip1, FeatureLevel, ScaleBias, TensorDesc};
use wgpu_clamp::standards::onnx::{self, Bounds};
use wgpu_clamp::{Clamp, DType, Error, NanRule, Number, Order, Precision, Rounding, Scalar};

use crate::{Result, values};

pub const HELP: &str = "\
  --min VALUE      lower bound; none if not given
  --max VALUE      upper bound; none if not given
  --scale NUMBER   1 if not given
  --bias NUMBER    0 if not given
  --order min|max  which bound wins where MIN > MAX; min if not given
  --nan RULE       what becomes of NaN: keep (if not given), min or max, which
                   treat it as -inf or inf
  --precision P    how scale and bias of floats round: exact (if not given) is
                   once and the same on every device; fast is as the GPU does it
  --dtype D        of OUT, if another than that of IN: between any two of
                   u8, i8, u16, i16, u32, i32, f16, bf16 and f32; integers saturate, NaN
                   becomes 0 in them (or see --nan)
  --rounding R     how numbers become integers: zero (if not given) drops the
                   fraction, even is to the nearest, of two to the even one
  --standard S     the operator of a standard, with its conversion of bounds:
                     directml[:LEVEL]  ELEMENT_WISE_CLIP; LEVEL is 1.0 to 6.4
                     clip1[:LEVEL]     ELEMENT_WISE_CLIP1; LEVEL is 5.0 to 6.4
                     onnx[:OPSET]      Clip-1, 6, 11, 12 or 13, by OPSET
                     openvino          Clamp-1
                     onednn            Graph Clamp
                     webnn             clamp
                   --order and --nan are the standard's then, --dtype and
                   --rounding are not for it; --scale and --bias are for
                   directml and clip1";

pub const VALUES: &str = "\
VALUE is a number of OUT's dtype, taken exactly: -5, 9007199254740993, 0xff
for integers, -1.5, 1e-3, inf for floats; unless --standard says otherwise.";

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    min: Option<String>,
    max: Option<String>,
    scale: Option<String>,
    bias: Option<String>,
    order: Option<Order>,
    nan: Option<NanRule>,
    precision: Option<Precision>,
    /// Of the output, if another than that of the input.
    pub dtype: Option<DType>,
    rounding: Option<Rounding>,
    standard: Option<Standard>,
}

#[derive(Clone, Copy, Debug)]
enum Standard {
    Clip(FeatureLevel),
    Clip1(FeatureLevel),
    Onnx(u32),
    OpenVino,
    OneDnn,
    WebNn,
}

fn one_of<T: Copy>(option: &str, text: &str, known: &[(&str, T)]) -> Result<T> {
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
    Err(format!("{option}: {text:?} is unknown; give {}", names.join(", ")).into())
}

impl Standard {
    fn parse(text: &str) -> Result<Self> {
        let (name, version) =
            text.split_once(':').map_or((text, None), |(name, version)| (name, Some(version)));
        match (name, version) {
            ("directml", _) => Ok(Self::Clip(level(version)?)),
            ("clip1", _) => Ok(Self::Clip1(level(version)?)),
            ("onnx", None) => Ok(Self::Onnx(13)),
            ("onnx", Some(version)) => {
                let opset = version.parse().map_err(|_| {
                    format!("--standard: {version:?} is no version of ONNX's operator set, such as 13")
                })?;
                onnx::version(opset)?;
                Ok(Self::Onnx(opset))
            }
            ("openvino", None) => Ok(Self::OpenVino),
            ("onednn", None) => Ok(Self::OneDnn),
            ("webnn", None) => Ok(Self::WebNn),
            _ => Err(format!(
                "--standard: {text:?} is unknown; give directml[:LEVEL], clip1[:LEVEL], onnx[:OPSET], openvino, \
                 onednn, webnn"
            )
            .into()),
        }
    }
}

fn level(text: Option<&str>) -> Result<FeatureLevel> {
    use FeatureLevel as L;
    let known = [
        L::V1_0,
        L::V2_0,
        L::V2_1,
        L::V3_0,
        L::V3_1,
        L::V4_0,
        L::V4_1,
        L::V5_0,
        L::V5_1,
        L::V5_2,
        L::V6_0,
        L::V6_1,
        L::V6_2,
        L::V6_3,
        L::V6_4,
    ];
    let Some(text) = text else { return Ok(L::default()) };
    let names = known.map(|level| level.to_string());
    let known: Vec<_> = names.iter().map(String::as_str).zip(known).collect();
    one_of("--standard: feature level", text, &known)
}

impl Options {
    /// Takes the option of that name, without its hyphens, and its value. `false` if it is none of these.
    pub fn take(&mut self, name: &str, parser: &mut lexopt::Parser) -> Result<bool> {
        let mut text = || -> Result<String> { Ok(parser.value()?.string()?) };
        match name {
            "min" => self.min = Some(text()?),
            "max" => self.max = Some(text()?),
            "scale" => self.scale = Some(text()?),
            "bias" => self.bias = Some(text()?),
            "order" => {
                let known = [("min", Order::MinWins), ("max", Order::MaxWins)];
                self.order = Some(one_of("--order", &text()?, &known)?);
            }
            "nan" => {
                let known = [("keep", NanRule::Propagate), ("min", NanRule::ToMin), ("max", NanRule::ToMax)];
                self.nan = Some(one_of("--nan", &text()?, &known)?);
            }
            "precision" => {
                let known = [("exact", Precision::Exact), ("fast", Precision::Fast)];
                self.precision = Some(one_of("--precision", &text()?, &known)?);
            }
            "dtype" => self.dtype = Some(text()?.parse().map_err(|error: Error| format!("--{error}"))?),
            "rounding" => {
                let known = [("zero", Rounding::TowardZero), ("even", Rounding::NearestEven)];
                self.rounding = Some(one_of("--rounding", &text()?, &known)?);
            }
            "standard" => self.standard = Some(Standard::parse(&text()?)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Where they would leave all as it is.
    pub fn refuse_nothing(&self) -> Result<()> {
        let bounds = self.min.is_some() || self.max.is_some();
        let affine = self.scale.is_some() || self.bias.is_some();
        // NaN alone may be what somebody wants to be rid of.
        let something = bounds || affine || self.nan.is_some() || self.dtype.is_some();
        if something || self.standard.is_some() {
            Ok(())
        } else {
            Err("nothing to do: give --min or --max".into())
        }
    }

    /// What does not go together, whatever the elements are.
    pub fn refuse_nonsense(&self) -> Result<()> {
        let affine = self.scale.is_some() || self.bias.is_some();
        let Some(standard) = self.standard else { return Ok(()) };
        if self.dtype.is_some() || self.rounding.is_some() {
            return Err("--dtype, --rounding: --standard has no conversion; leave them out".into());
        }
        if self.order.is_some() || self.nan.is_some() {
            return Err("--order, --nan: --standard has its own; leave them out".into());
        }
        if affine && !matches!(standard, Standard::Clip(_) | Standard::Clip1(_)) {
            return Err("--scale, --bias: of the standards only directml and clip1 have them".into());
        }
        if !matches!(standard, Standard::Onnx(_) | Standard::WebNn)
            && (self.min.is_none() || self.max.is_none())
        {
            return Err(
                "--min, --max: --standard needs both, save for onnx and webnn; give -inf or inf for none"
                    .into(),
            );
        }
        Ok(())
    }

    /// The clamp for elements of that dtype.
    pub fn clamp(&self, dtype: DType) -> Result<Clamp> {
        let clamp = match self.standard {
            None => self.plain(dtype)?,
            Some(Standard::Clip(level)) => {
                let (scale, bias) = self.affine(dtype)?;
                let (min, max) = self.attributes(dtype)?;
                Clamp::directml(dtype, min, max, Some(ScaleBias { scale, bias }), level)?
            }
            Some(Standard::Clip1(level)) => {
                let (scale, bias) = self.affine(dtype)?;
                let (Number::Value(min), Number::Value(max)) = self.elements(dtype)? else {
                    return Err("--min, --max: clip1 needs both".into());
                };
                // The operator is the same for every shape; this one is in all levels.
                let tensor = TensorDesc { dtype, sizes: &[1, 1, 1, 1], strides: None };
                let scale_bias = Some(ScaleBias { scale, bias });
                let (min, max) = (min.bits(), max.bits());
                ElementWiseClip1 { input: tensor, output: tensor, scale_bias, min_max_dtype: dtype, min, max }
                    .resolve(level)?
                    .0
            }
            Some(Standard::Onnx(opset)) if onnx::version(opset)? < 11 => {
                let [min, max] = [("--min", &self.min), ("--max", &self.max)].map(|(option, text)| {
                    text.as_ref().map(|text| values::attribute(option, dtype, text)).transpose()
                });
                Clamp::onnx(opset, dtype, Bounds::Attributes { min: min?, max: max? })?
            }
            Some(Standard::Onnx(opset)) => {
                let (min, max) = self.elements(dtype)?;
                Clamp::onnx(opset, dtype, Bounds::Inputs { min, max })?
            }
            Some(Standard::OpenVino) => {
                let (min, max) = self.attributes(dtype)?;
                Clamp::openvino(dtype, min, max)?
            }
            Some(Standard::WebNn) => {
                let [min, max] = [("--min", &self.min), ("--max", &self.max)]
                    .map(|(option, text)| text.as_ref().map(|text| values::number(option, text)).transpose());
                Clamp::webnn(dtype, min?, max?)?
            }
            Some(Standard::OneDnn) => {
                let (min, max) = self.attributes(dtype)?;
                Clamp::onednn(dtype, min, max)?
            }
        };
        // The same bits whether a GPU or the reference does the work, unless speed is asked for.
        Ok(clamp.with_precision(self.precision.unwrap_or(Precision::Exact)))
    }

    /// The clamp of no standard, which alone converts.
    fn plain(&self, source: DType) -> Result<Clamp> {
        let dtype = self.dtype.unwrap_or(source);
        // A pair that is not offered is to be named before a bound that would not suit it.
        let clamp = Clamp::unbounded(dtype).with_source(source)?;
        let (min, max) = self.elements(dtype)?;
        let clamp = clamp
            .with_bounds(min, max)?
            .with_order(self.order.unwrap_or_default())
            .with_nan_rule(self.nan.unwrap_or_default())
            .with_rounding(self.rounding.unwrap_or_default());
        if dtype == DType::F64 {
            let (scale, bias): (f64, f64) = self.affine(source)?;
            return Ok(clamp.with_scale_bias(scale, bias)?);
        }
        let (scale, bias) = self.affine(source)?;
        Ok(clamp.with_affine(scale, bias)?)
    }

    /// The bounds as elements.
    fn elements(&self, dtype: DType) -> Result<(Number, Number)> {
        let bound = |option, text: &Option<String>| -> Result<Number> {
            let Some(text) = text else { return Ok(Number::Absent) };
            Ok(Scalar::from_bits(dtype, values::element(option, dtype, text)?)?.into())
        };
        Ok((bound("--min", &self.min)?, bound("--max", &self.max)?))
    }

    /// The bounds as numbers of `T`, where a standard needs both.
    fn attributes<T>(&self, dtype: DType) -> Result<(T, T)>
    where
        T: std::str::FromStr + Into<f64> + Copy,
    {
        let bound = |option, text: &Option<String>| {
            let text = text.as_ref().ok_or_else(|| format!("{option}: --standard needs it"))?;
            values::attribute(option, dtype, text)
        };
        Ok((bound("--min", &self.min)?, bound("--max", &self.max)?))
    }

    /// Scale and bias; 1 and 0 where not given.
    fn affine<T>(&self, dtype: DType) -> Result<(T, T)>
    where
        T: std::str::FromStr + Into<f64> + Copy,
    {
        let scale = values::attribute("--scale", dtype, self.scale.as_deref().unwrap_or("1"))?;
        Ok((scale, values::attribute("--bias", dtype, self.bias.as_deref().unwrap_or("0"))?))
    }
}

#[cfg(test)]
mod tests;
