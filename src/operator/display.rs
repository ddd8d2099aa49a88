//! Clamps as formulas, for logs and messages.

use std::fmt;

use super::Quantization;
use crate::{Clamp, Clamps, NanRule, Number, Order, Rounding};

/// The formula, with the bounds as numbers of the dtype. A number on the GPU is printed as `slot`.
///
/// ```
/// # use wgpu_clamp::{Clamp, DType, Order};
/// assert_eq!(Clamp::new(0.0_f32, 6.0).to_string(), "f32: max(min(x, 6.0), 0.0)");
/// let levels = Clamp::at_most(200_u8).with_source(DType::F16)?.with_affine(1.5, -20.0)?;
/// assert_eq!(levels.to_string(), "f16 to u8: min(x * 1.5 - 20.0, 200), fast");
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
impl fmt::Display for Clamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, dtype) = (self.source(), self.dtype());
        if self.converts() {
            write!(f, "{source} to ")?;
        }
        let steps = match self.order() {
            Order::MinWins => [("min", self.max()), ("max", self.min())],
            Order::MaxWins => [("max", self.min()), ("min", self.max())],
        };
        let mut formula = step(self);
        for (function, bound) in steps {
            match bound {
                Number::Absent => {}
                Number::Value(scalar) => formula = format!("{function}({formula}, {scalar})"),
                Number::OnGpu => formula = format!("{function}({formula}, slot)"),
            }
        }
        write!(f, "{dtype}: {formula}")?;
        if self.has_affine() && self.meets_a_float() || self.zero_point().is_some() {
            f.write_str(match self.precision() {
                crate::Precision::Fast => ", fast",
                crate::Precision::Exact => ", exact",
            })?;
        }
        let rounds = !dtype.is_float() && (self.has_affine() || source.is_float());
        if rounds && self.rounding() == Rounding::NearestEven {
            f.write_str(", to nearest even")?;
        }
        if self.meets_a_float() {
            f.write_str(match self.nan_rule() {
                NanRule::Propagate => "",
                NanRule::ToMin => ", NaN as -inf",
                NanRule::ToMax => ", NaN as inf",
            })?;
        }
        Ok(())
    }
}

/// The formula of the single clamp. With channels: the axis, and the formula of the first channel's clamp.
impl fmt::Display for Clamps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = self.as_slice();
        match (self.axis(), list.first()) {
            (Some(axis), Some(clamp)) if self.has_slots_along() => {
                write!(f, "{clamp}, slots along axis {axis}")
            }
            (Some(axis), Some(first)) => {
                write!(f, "{} clamps along axis {axis}, the first {first}", list.len())
            }
            (Some(axis), None) => write!(f, "0 clamps along axis {axis}"),
            (None, first) => first.map_or(Ok(()), |clamp| clamp.fmt(f)),
        }
    }
}

fn step(clamp: &Clamp) -> String {
    let text = |number: Number| match number {
        Number::Absent => None,
        Number::Value(scalar) => Some(scalar.to_string()),
        Number::OnGpu => Some("slot".to_owned()),
    };
    if let Some(Quantization { scale, zero_point }) = clamp.quantization() {
        let sign = if (zero_point < 0) == clamp.source().is_float() { '-' } else { '+' };
        let size = zero_point.unsigned_abs();
        return if clamp.source().is_float() {
            format!("round(x / {scale:?}) {sign} {size}")
        } else {
            format!("(x {sign} {size}) * {scale:?}")
        };
    }
    let scale = text(clamp.scale()).filter(|scale| scale != "1.0");
    let product = scale.map_or_else(|| "x".to_owned(), |scale| format!("x * {scale}"));
    // Omits a bias of +0. A bias of -0 is shown, since it keeps the sign of a zero where +0 does not.
    match text(clamp.bias()).filter(|bias| bias != "0.0") {
        None => product,
        Some(bias) => match bias.strip_prefix('-') {
            Some(size) => format!("{product} - {size}"),
            None => format!("{product} + {bias}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::*;
    use crate::{DType, Precision};

    #[test]
    fn formulas_tell_what_counts() {
        let affine = Clamp::new(-1.0_f64, 1.0).with_affine(1.0_f64, -0.1_f64).unwrap();
        let on_gpu = Clamp::at_least(1_u16).with_bounds(1_u16, Number::OnGpu).unwrap();
        let found = |scale, bias| Clamp::unbounded(DType::F16).with_affine(scale, bias).unwrap();
        let to_bytes = Clamp::unbounded(DType::I8).with_source(DType::BF16).unwrap();
        for (clamp, text) in [
            (Clamp::unbounded(DType::U64), "u64: x"),
            (Clamp::new(-3_i8, -1).with_order(Order::MaxWins), "i8: min(max(x, -3), -1)"),
            (Clamp::at_least(i64::MIN), "i64: max(x, -9223372036854775808)"),
            (
                Clamp::at_most(f16::from_f32(0.5)).with_nan_rule(NanRule::ToMin),
                "f16: min(x, 0.5), NaN as -inf",
            ),
            (Clamp::new(bf16::NEG_INFINITY, bf16::NAN), "bf16: max(min(x, NaN), -inf)"),
            (affine.with_precision(Precision::Exact), "f64: max(min(x - 0.1, 1.0), -1.0), exact"),
            (on_gpu.with_affine(-0.1, 1e30).unwrap(), "u16: max(min(x * -0.1 + 1e30, slot), 1)"),
            (to_bytes.with_rounding(Rounding::NearestEven), "bf16 to i8: x, to nearest even"),
            (Clamp::unbounded(DType::F32).with_affine(2.0, 0.0).unwrap(), "f32: x * 2.0, fast"),
            (Clamp::unbounded(DType::F32).with_affine(2.0, -0.0).unwrap(), "f32: x * 2.0 - 0.0, fast"),
            (Clamp::at_most(1_u8).with_nan_rule(NanRule::ToMax), "u8: min(x, 1)"),
            (found(Number::OnGpu, Number::Absent), "f16: x * slot, fast"),
            (found(Number::Absent, Number::OnGpu), "f16: x + slot, fast"),
            (found(2.0_f32.into(), Number::Absent), "f16: x * 2.0, fast"),
            (
                Clamp::quantize_linear(DType::F32, DType::I8, 0.5, -3).unwrap(),
                "f32 to i8: round(x / 0.5) - 3, fast, to nearest even",
            ),
            (
                Clamp::dequantize_linear(DType::I8, DType::F16, 0.5, -3).unwrap(),
                "i8 to f16: (x + 3) * 0.5, fast",
            ),
        ] {
            assert_eq!(clamp.to_string(), text);
            assert_eq!(Clamps::from(&clamp).to_string(), text);
        }
        let two = [Clamp::at_most(1_u8), Clamp::at_most(2_u8)];
        assert_eq!(Clamps::along(3, &two).to_string(), "2 clamps along axis 3, the first u8: min(x, 1)");
        assert_eq!(Clamps::along(0, &[]).to_string(), "0 clamps along axis 0");
        let slots = Clamps::slots_along(1, on_gpu);
        assert_eq!(slots.to_string(), "u16: max(min(x, slot), 1), slots along axis 1");
    }
}
