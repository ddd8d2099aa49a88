//! Conversions and channels that are refused, each with an error of its own.

use wgpu_clamp::half::f16;
use wgpu_clamp::{
    Clamp, Clamps, DType, NanRule, Number, Operands, Order, Plan, Precision, Rounding, Tensor, View,
};

use crate::harness::{buffer, gpus, packed, strided};
use crate::refused::{AXIS_2, TWO_SIZES, assert_refused, of_clamp, shared_bytes, too_small, wider_in_place};

#[test]
fn conversions_that_are_not_offered() {
    assert_refused(
        Clamp::new(0_u8, 9).with_source(DType::I64),
        "DType",
        "source: i64 does not convert to u8; any two of u8, i8, u16, i16, u32, i32, f16, bf16, f32 do",
    );
    for dtype in DType::ALL {
        for source in DType::ALL {
            let offered =
                source == dtype || [source, dtype].iter().all(|dtype| DType::CONVERTIBLE.contains(dtype));
            assert_eq!(Clamp::unbounded(dtype).with_source(source).is_ok(), offered, "{source} {dtype}");
        }
    }
}

#[test]
fn conversions_whose_views_do_not_fit() {
    let of_source = |argument, given, source| {
        format!(
            "{argument}: {given} is not the dtype of the clamp's source, {source}; `Clamp::with_source` names the \
             dtype of src, the bounds have that of dst"
        )
    };
    let to_floats = Clamp::new(0.0_f32, 1.0).with_source(DType::U8).unwrap();
    for gpu in gpus() {
        let (small, large) = (buffer(gpu, &[0; 64]), buffer(gpu, &[0; 256]));
        let of = |src, dst| gpu.clamper().prepare(&to_floats, Operands::new(src, dst)).map(drop);
        let (all, few) = (packed(&[64]), packed(&[16]));
        let (src, dst) = (View::of::<u8>(&small, all), View::of::<f32>(&large, all));
        of(src, dst).unwrap();
        let wide_enough = View::of::<u8>(&large, all);
        // The last 4 of 64 bytes, far from the floats.
        let far = View::of::<u8>(&small, strided(&[4], &[1], 60));
        for (src, dst, variant, said) in [
            // 64 bytes do not hold 64 floats.
            (
                wide_enough,
                View::of::<f32>(&small, all),
                "Buffer",
                too_small("dst", "f32 elements of shape [64], strides [1], offset 0", 256, 64),
            ),
            // The dtype is wrong, whether or not the buffer is large enough.
            (View::of::<f32>(&small, all), dst, "DType", of_source("src", DType::F32, DType::U8)),
            (
                View::of::<f32>(&small, few),
                View::of::<f32>(&large, few),
                "DType",
                of_source("src", DType::F32, DType::U8),
            ),
            (src, wide_enough, "DType", of_clamp("dst", DType::U8, DType::F32)),
            // Two element sizes are refused in place, even where the source's bytes and the destination's lie apart.
            (src, src, "Overlap", wider_in_place("src and dst")),
            (wide_enough, wide_enough, "Overlap", wider_in_place("src and dst")),
            (far, far, "Overlap", wider_in_place("src and dst")),
            (wide_enough, dst, "Overlap", wider_in_place("src, dst")),
            (dst, dst, "DType", of_source("src and dst", DType::F32, DType::U8)),
        ] {
            assert_refused(of(src, dst), variant, said);
        }
        let at = |offset| strided(&[16], &[1], offset);
        let over = |src, dst| of(View::of::<u8>(&large, at(src)), View::of::<f32>(&large, at(dst)));
        over(0, 4).unwrap();
        over(128, 16).unwrap();
        for (src, dst) in [(1, 4), (0, 3), (64 + 63, 31), (200, 48)] {
            let of = |dtype, offset, start, end| {
                format!("{dtype} elements of shape [16], strides [1], offset {offset} (bytes {start}..{end})")
            };
            let (read, written) = (of("u8", src, src, src + 16), of("f32", dst, 4 * dst, 4 * dst + 64));
            assert_refused(over(src, dst), "Overlap", shared_bytes(&read, &written, TWO_SIZES));
        }
        // Elements of one size may be converted in place.
        let nothing = View::of::<u8>(&small, packed(&[0]));
        of(nothing, nothing).unwrap();
        let halves = Clamp::unbounded(DType::F16).with_source(DType::I16).unwrap();
        let (before, after) = (View::of::<i16>(&large, all), View::of::<f16>(&large, all));
        let of = |src, dst| gpu.clamper().prepare(&halves, Operands::new(src, dst));
        of(before, after).unwrap();
        // The single view has the source's dtype.
        of(before, before).unwrap();
        assert_refused(of(after, after), "DType", of_source("src and dst", DType::F16, DType::I16));
    }
}

#[test]
fn channels_that_do_not_fit() {
    let clamp = Clamp::new(0.0_f32, 1.0);
    let layout = packed(&[2, 3]);
    let (bytes, on_gpu) = (Clamp::new(0_u8, 1), clamp.with_bounds(Number::Absent, Number::OnGpu).unwrap());
    let too_few = "clamps: 2 given for axis 1 of extent 3; one for each index is needed";
    for gpu in gpus() {
        let tensor = Tensor::zeros(&gpu.host, DType::F32, &[2, 3]).unwrap();
        let of = |axis, list: &[Clamp]| {
            gpu.clamper().prepare(Clamps::along(axis, list), Operands::in_place(tensor.view()))
        };
        of(1, &[clamp; 3]).unwrap();
        assert_refused(of(2, &[clamp; 3]), "Argument", AXIS_2);
        assert_refused(of(1, &[clamp; 2]), "Argument", too_few);
        for (other, difference) in [
            (clamp.with_source(DType::U8).unwrap(), "source dtype U8, channel 0 has F32"),
            (bytes, "source dtype U8, channel 0 has F32"),
            (bytes.with_source(DType::F32).unwrap(), "dtype U8, channel 0 has F32"),
            (clamp.with_order(Order::MaxWins), "order MaxWins, channel 0 has MinWins"),
            (clamp.with_nan_rule(NanRule::ToMin), "NaN rule ToMin, channel 0 has Propagate"),
            (clamp.with_precision(Precision::Exact), "precision Exact, channel 0 has Fast"),
            (clamp.with_rounding(Rounding::NearestEven), "rounding NearestEven, channel 0 has TowardZero"),
        ] {
            let said = format!(
                "clamps: channel 2 has {difference}; all channels agree in source and destination dtype, order, NaN \
                 rule, precision and rounding"
            );
            assert_refused(of(1, &[clamp, clamp, other]), "Argument", said);
        }
        for (list, channel) in [([clamp, on_gpu, clamp], 1), ([on_gpu, clamp, clamp], 0)] {
            let said = format!(
                "clamps: max of channel {channel} is `Number::OnGpu`; give one clamp with `Clamps::slots_along`"
            );
            assert_refused(of(1, &list), "Argument", said);
        }
        let plan = Plan::new(Clamps::along(1, &[clamp; 2]), &layout, &layout, gpu.clamper().limits());
        assert_refused(plan, "Argument", too_few);
        let none = Tensor::zeros(&gpu.host, DType::F32, &[2, 0]).unwrap();
        let prepared = gpu.clamper().prepare(Clamps::along(1, &[]), Operands::in_place(none.view())).unwrap();
        assert_eq!(prepared.dispatches(), 0);
    }
}
