//! The options that say what is computed, and the clamp that they ask for.

use wgpu_clamp::standards::directml::{ElementWiseClip1, FeatureLevel, ScaleBias, TensorDesc};
use wgpu_clamp::standards::onnx::{self, Bounds};
use wgpu_clamp::{Clamp, DType, NanRule, Number, Order, Precision, Rounding, Scalar};

use crate::{Result, values};

/// The options of the operator.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Operator {
    /// Lower bound; none if not given
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    min: Option<String>,
    /// Upper bound; none if not given
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    max: Option<String>,
    /// Scale; 1 if not given
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    scale: Option<String>,
    /// Bias; 0 if not given
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    bias: Option<String>,
    /// Which bound wins where MIN > MAX; min if not given
    #[arg(long, value_parser = ["min", "max"])]
    order: Option<String>,
    /// What becomes of NaN: keep (if not given), min or max, which treat it as -inf or inf
    #[arg(long, value_name = "RULE", value_parser = ["keep", "min", "max"])]
    nan: Option<String>,
    /// How scale and bias of floats round: exact (if not given) rounds once, with the same bits on every device; fast
    /// rounds as the GPU does
    #[arg(long, value_name = "P", value_parser = ["exact", "fast"])]
    precision: Option<String>,
    /// The dtype of OUT, if it is not IN's: any two of u8, i8, u16, i16, u32, i32, f16, bf16 and f32 convert. Integers
    /// saturate; in them NaN becomes 0, unless --nan says otherwise
    #[arg(long, value_name = "D")]
    dtype: Option<DType>,
    /// How numbers become integers: zero (if not given) drops the fraction, even rounds to nearest, ties to even
    #[arg(long, value_name = "R", value_parser = ["zero", "even"])]
    rounding: Option<String>,
    /// The operator of a standard, with its conversion of bounds:
    ///   directml[:LEVEL]  CLIP; LEVEL is 1.0 to 6.4
    ///   clip1[:LEVEL]     CLIP1; LEVEL is 5.0 to 6.4
    ///   onnx[:OPSET]      Clip-1, 6, 11, 12 or 13, by OPSET
    ///   openvino          Clamp-1
    ///   onednn            Graph Clamp
    ///   webnn             clamp
    /// A standard has its own --order and --nan and takes no --dtype and --rounding; only directml and clip1 take
    /// --scale and --bias
    #[arg(long, value_name = "S", value_parser = standard, verbatim_doc_comment)]
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

fn standard(text: &str) -> Result<Standard> {
    match text.split_once(':').map_or((text, None), |(name, version)| (name, Some(version))) {
        ("directml", version) => Ok(Standard::Clip(level(version)?)),
        ("clip1", version) => Ok(Standard::Clip1(level(version)?)),
        ("onnx", version) => {
            let opset = version.unwrap_or("13").parse().map_err(|_| {
                format!("{:?} is no version of ONNX's operator set, such as 13", version.unwrap_or_default())
            })?;
            onnx::version(opset)?;
            Ok(Standard::Onnx(opset))
        }
        ("openvino", None) => Ok(Standard::OpenVino),
        ("onednn", None) => Ok(Standard::OneDnn),
        ("webnn", None) => Ok(Standard::WebNn),
        _ => Err("give directml[:LEVEL], clip1[:LEVEL], onnx[:OPSET], openvino, onednn or webnn".into()),
    }
}

fn level(text: Option<&str>) -> Result<FeatureLevel> {
    use FeatureLevel::{
        V1_0, V2_0, V2_1, V3_0, V3_1, V4_0, V4_1, V5_0, V5_1, V5_2, V6_0, V6_1, V6_2, V6_3, V6_4,
    };
    let Some(text) = text else { return Ok(FeatureLevel::default()) };
    let known = [V1_0, V2_0, V2_1, V3_0, V3_1, V4_0, V4_1, V5_0, V5_1, V5_2, V6_0, V6_1, V6_2, V6_3, V6_4];
    let found = known.into_iter().find(|level| level.to_string() == text);
    let names = known.map(|level| level.to_string()).join(", ");
    found.ok_or_else(|| format!("feature level: {text:?} is unknown; give {names}").into())
}

impl Operator {
    /// Refuses options that change nothing.
    pub fn refuse_nothing(&self) -> Result<()> {
        let Self { min, max, scale, bias, nan, dtype, standard, .. } = self;
        let numbers = [min, max, scale, bias].into_iter().any(Option::is_some);
        // --nan alone replaces NaN.
        if numbers || nan.is_some() || dtype.is_some() || standard.is_some() {
            return Ok(());
        }
        Err("nothing to do: give --min or --max".into())
    }

    /// Refuses options that contradict each other, whatever the dtype.
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
            let both =
                "--min, --max: --standard needs both, save for onnx and webnn; give -inf or inf for none";
            return Err(both.into());
        }
        Ok(())
    }

    /// The clamp for elements of `dtype`.
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
                // The clamp does not depend on the shape. Every level allows this shape.
                let tensor = TensorDesc { dtype, sizes: &[1, 1, 1, 1], strides: None };
                let scale_bias = Some(ScaleBias { scale, bias });
                let (min, max) = (min.bits(), max.bits());
                ElementWiseClip1 { input: tensor, output: tensor, scale_bias, min_max_dtype: dtype, min, max }
                    .resolve(level)?
                    .0
            }
            Some(Standard::Onnx(opset)) if onnx::version(opset)? < 11 => {
                let (min, max) = self.bounds(|option, text| values::attribute(option, dtype, text))?;
                Clamp::onnx(opset, dtype, Bounds::Attributes { min, max })?
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
                let (min, max) = self.bounds(values::number)?;
                Clamp::webnn(dtype, min, max)?
            }
            Some(Standard::OneDnn) => {
                let (min, max) = self.attributes(dtype)?;
                Clamp::onednn(dtype, min, max)?
            }
        };
        // `Exact` gives the same bits on every GPU and in the reference. Only --precision fast gives this up.
        let fast = self.precision.as_deref() == Some("fast");
        Ok(clamp.with_precision(if fast { Precision::Fast } else { Precision::Exact }))
    }

    /// The clamp without a standard, the only one that converts.
    fn plain(&self, source: DType) -> Result<Clamp> {
        let dtype = self.dtype.unwrap_or(source);
        // First, so that the error for a pair that does not convert comes before errors for its bounds.
        let clamp = Clamp::unbounded(dtype).with_source(source)?;
        let (min, max) = self.elements(dtype)?;
        let clamp = clamp
            .with_bounds(min, max)?
            .with_order(match self.order.as_deref() {
                Some("max") => Order::MaxWins,
                _ => Order::MinWins,
            })
            .with_nan_rule(match self.nan.as_deref() {
                Some("min") => NanRule::ToMin,
                Some("max") => NanRule::ToMax,
                _ => NanRule::Propagate,
            })
            .with_rounding(match self.rounding.as_deref() {
                Some("even") => Rounding::NearestEven,
                _ => Rounding::TowardZero,
            });
        if dtype == DType::F64 {
            let (scale, bias): (f64, f64) = self.affine(source)?;
            return Ok(clamp.with_scale_bias(scale, bias)?);
        }
        let (scale, bias) = self.affine(source)?;
        Ok(clamp.with_affine(scale, bias)?)
    }

    /// The bounds that are given, each read by `parse` from its option and text.
    fn bounds<T>(&self, parse: impl Fn(&str, &str) -> Result<T>) -> Result<(Option<T>, Option<T>)> {
        let bound = |option, text: &Option<String>| text.as_ref().map(|text| parse(option, text)).transpose();
        Ok((bound("--min", &self.min)?, bound("--max", &self.max)?))
    }

    /// The bounds as elements.
    fn elements(&self, dtype: DType) -> Result<(Number, Number)> {
        let element = |option: &str, text: &str| -> Result<Number> {
            Ok(Scalar::from_bits(dtype, values::element(option, dtype, text)?)?.into())
        };
        let (min, max) = self.bounds(element)?;
        Ok((min.unwrap_or_default(), max.unwrap_or_default()))
    }

    /// The bounds as numbers of `T`, where a standard needs both.
    fn attributes<T>(&self, dtype: DType) -> Result<(T, T)>
    where
        T: std::str::FromStr + Into<f64> + Copy,
    {
        let (min, max) = self.bounds(|option, text| values::attribute(option, dtype, text))?;
        Ok(min.zip(max).ok_or("--min, --max: --standard needs both")?)
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
