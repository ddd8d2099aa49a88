//! Conversions and channels that are refused, each with an error of its own.

use wgpu_clamp::half::f16;
use wgpu_clamp::{
    Clamp, Clamps, DType, Layout, NanRule, Number, Operands, Order, Plan, Precision, Rounding, Tensor, View,
};

use crate::assert_error::assert_error;
use crate::harness::{buffer, gpus};

#[test]
fn conversions_that_are_not_offered() {
    assert_error!(
        Clamp::new(0_u8, 9).with_source(DType::I64).unwrap_err(),
        DType,
        "source: i64 does not convert to u8; any two of u8, i8, u16, i16, u32, i32, f16, bf16, f32 do"
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
    let to_floats = Clamp::new(0.0_f32, 1.0).with_source(DType::U8).unwrap();
    for gpu in gpus() {
        let bytes = buffer(gpu, &[0; 64]);
        let floats = buffer(gpu, &[0; 256]);
        let clamper = gpu.clamper();
        let packed = Layout::packed(&[64]).unwrap();
        let of = |src, dst| clamper.prepare(&to_floats, Operands::new(src, dst)).map(drop);
        let (src, dst) = (View::of::<u8>(&bytes, packed), View::of::<f32>(&floats, packed));
        of(src, dst).unwrap();
        // 64 bytes do not hold 64 floats.
        let too_small = "dst: f32 elements of shape [64], strides [1], offset 0 need a buffer of 256 bytes, this one \
                         has 64; shape, strides and offset count elements";
        let wide_enough = View::of::<u8>(&floats, packed);
        let error = of(wide_enough, View::of::<f32>(&bytes, packed)).unwrap_err();
        assert_error!(error, Buffer, too_small);
        let of_source = |argument, given, source| {
            format!(
                "{argument}: {given} is not the dtype of the clamp's source, {source}; `Clamp::with_source` names the \
                 dtype of src, the bounds have that of dst"
            )
        };
        // The dtype is wrong, whether or not the buffer is large enough.
        let error = of(View::of::<f32>(&bytes, packed), dst).unwrap_err();
        assert_error!(error, DType, of_source("src", DType::F32, DType::U8));
        let few = Layout::packed(&[16]).unwrap();
        let error = of(View::of::<f32>(&bytes, few), View::of::<f32>(&floats, few)).unwrap_err();
        assert_error!(error, DType, of_source("src", DType::F32, DType::U8));
        assert_error!(
            of(src, wide_enough).unwrap_err(),
            DType,
            "dst: u8 is not the dtype of the clamp, f32; a clamp has the dtype of its bounds (literals without a suffix are f64 and i32), \
         `Clamp::with_source` converts from another"
        );

        // Two element sizes are refused in place, even where the source's bytes and the destination's lie apart
        // (`far`).
        let far = View::of::<u8>(&bytes, Layout::strided(&[4], &[1], 60).unwrap());
        let one_view = [src, wide_enough, far].map(|view| ("src and dst", view, view));
        for (argument, src, dst) in one_view.into_iter().chain([("src, dst", wide_enough, dst)]) {
            let expected = format!(
                "{argument}: u8 to f32 in place; source and destination elements of one size are needed, else views that \
                 share no byte, or two buffers"
            );
            assert_error!(of(src, dst).unwrap_err(), Overlap, expected);
        }
        assert_error!(of(dst, dst).unwrap_err(), DType, of_source("src and dst", DType::F32, DType::U8));
        let at = |offset| Layout::strided(&[16], &[1], offset).unwrap();
        let over = |src, dst| of(View::of::<u8>(&floats, at(src)), View::of::<f32>(&floats, at(dst)));
        over(0, 4).unwrap();
        over(128, 16).unwrap();
        for (src, dst) in [(1, 4), (0, 3), (64 + 63, 31), (200, 48)] {
            assert_error!(
                over(src, dst).unwrap_err(),
                Overlap,
                format!(
                    "src, dst: the two views share bytes of one buffer but are not the same view; \
                     src has u8 elements of shape [16], strides [1], offset {src} (bytes {src}..{}), \
                     dst has f32 elements of shape [16], strides [1], offset {dst} (bytes {}..{}); \
                     use disjoint layouts, or two buffers",
                    src + 16,
                    4 * dst,
                    4 * dst + 64
                )
            );
        }
        // Elements of one size may be converted in place.
        let nothing = View::of::<u8>(&bytes, Layout::packed(&[0]).unwrap());
        of(nothing, nothing).unwrap();
        let halves = Clamp::unbounded(DType::F16).with_source(DType::I16).unwrap();
        let (before, after) = (View::of::<i16>(&floats, packed), View::of::<f16>(&floats, packed));
        clamper.prepare(&halves, Operands::new(before, after)).unwrap();
        // The single view has the source's dtype.
        clamper.prepare(&halves, Operands::in_place(before)).unwrap();
        assert_error!(
            clamper.prepare(&halves, Operands::in_place(after)).unwrap_err(),
            DType,
            of_source("src and dst", DType::F16, DType::I16)
        );
    }
}

#[test]
fn channels_that_do_not_fit() {
    let clamp = Clamp::new(0.0_f32, 1.0);
    let layout = Layout::packed(&[2, 3]).unwrap();
    for gpu in gpus() {
        let tensor = Tensor::zeros(&gpu.host, DType::F32, &[2, 3]).unwrap();
        let of = |axis, list: &[Clamp]| {
            gpu.clamper().prepare(Clamps::along(axis, list), Operands::in_place(tensor.view())).map(drop)
        };
        of(1, &[clamp; 3]).unwrap();
        let error = of(2, &[clamp; 3]).unwrap_err();
        assert_error!(error, Argument, "axis: 2 is out of range for a layout of rank 2; axes count from 0");
        let too_few = "clamps: 2 given for axis 1 of extent 3; one for each index is needed";
        assert_error!(of(1, &[clamp; 2]).unwrap_err(), Argument, too_few);
        for (other, difference) in [
            (clamp.with_source(DType::U8).unwrap(), "source dtype U8, channel 0 has F32"),
            (Clamp::new(0_u8, 1), "source dtype U8, channel 0 has F32"),
            (Clamp::new(0_u8, 1).with_source(DType::F32).unwrap(), "dtype U8, channel 0 has F32"),
            (clamp.with_order(Order::MaxWins), "order MaxWins, channel 0 has MinWins"),
            (clamp.with_nan_rule(NanRule::ToMin), "NaN rule ToMin, channel 0 has Propagate"),
            (clamp.with_precision(Precision::Exact), "precision Exact, channel 0 has Fast"),
            (clamp.with_rounding(Rounding::NearestEven), "rounding NearestEven, channel 0 has TowardZero"),
        ] {
            assert_error!(
                of(1, &[clamp, clamp, other]).unwrap_err(),
                Argument,
                format!(
                    "clamps: channel 2 has {difference}; all channels agree in source and destination dtype, order, NaN \
                     rule, precision and rounding"
                )
            );
        }
        let on_gpu = clamp.with_bounds(Number::Absent, Number::OnGpu).unwrap();
        for (list, channel) in [([clamp, on_gpu, clamp], 1), ([on_gpu, clamp, clamp], 0)] {
            assert_error!(
                of(1, &list).unwrap_err(),
                Argument,
                format!(
                    "clamps: max of channel {channel} is `Number::OnGpu`; give one clamp with `Clamps::slots_along`"
                )
            );
        }
        let limits = gpu.clamper().limits();
        let error = Plan::new(Clamps::along(1, &[clamp; 2]), &layout, &layout, limits).unwrap_err();
        assert_error!(error, Argument, too_few);
        let none = Tensor::zeros(&gpu.host, DType::F32, &[2, 0]).unwrap();
        let prepared = gpu.clamper().prepare(Clamps::along(1, &[]), Operands::in_place(none.view())).unwrap();
        assert_eq!(prepared.dispatches(), 0);
    }
}
