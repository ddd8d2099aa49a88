//! Conversions and channels that cannot be: each is an error of its own.

use wgpu_clamp::half::f16;
use wgpu_clamp::{
    Bound, Clamp, Clamps, DType, Error, Layout, NanRule, Operands, Order, Plan, Precision, Rounding, Tensor,
    View,
};

use crate::harness::{buffer, gpus};

#[test]
fn conversions_that_are_not_offered() {
    let error = Clamp::new(0_u8, 9).with_source(DType::I64).unwrap_err();
    assert_eq!(error, Error::Conversion { source_dtype: DType::I64, dtype: DType::U8 });
    let said = "source: i64 does not convert to u8; any two of u8, i8, u16, i16, f16, bf16, f32 do";
    assert_eq!(error.to_string(), said);
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
        let (src, dst) = (View::new(&bytes, packed), View::new(&floats, packed));
        of(src, dst).unwrap();
        // As many floats as there are bytes are not there, and the source is the dtype that src is told to be.
        let expected = |argument, dtype, needed, actual| Error::BufferTooSmall {
            argument,
            dtype,
            layout: packed.into(),
            needed,
            actual,
        };
        assert_eq!(of(src, src).unwrap_err(), expected("src and dst", DType::F32, 256, 64));
        assert_eq!(of(dst, View::new(&bytes, packed)).unwrap_err(), expected("dst", DType::F32, 256, 64));
        let mismatch =
            |argument, of, expected, actual| Error::DTypeMismatch { argument, of, expected, actual };
        let error = of(src.with_dtype(DType::F32), dst).unwrap_err();
        assert_eq!(error, mismatch("src", "the clamp's source", DType::U8, DType::F32));
        let error = of(src, dst.with_dtype(DType::U8)).unwrap_err();
        assert_eq!(error, mismatch("dst", "the clamp", DType::F32, DType::U8));

        // In place, and over a part: what counts is bytes.
        let in_place = of(dst, dst).unwrap_err();
        assert_eq!(in_place, Error::InPlaceSizes { source_dtype: DType::U8, dtype: DType::F32 });
        let said = in_place.to_string();
        assert!(
            said.starts_with("src, dst: u8 to f32 in place; source and destination elements of one size"),
            "{said}"
        );
        let at = |offset| View::new(&floats, Layout::strided(&[16], &[1], offset).unwrap());
        of(at(0), at(4)).unwrap();
        of(at(128), at(16)).unwrap();
        for (src, dst) in [(at(1), at(4)), (at(0), at(3)), (at(64 + 63), at(31)), (at(200), at(48))] {
            let error = of(src, dst);
            assert!(matches!(error, Err(Error::PartialAlias { .. })), "{error:?}");
        }
        // Of one size it may be in place.
        let nothing = View::new(&bytes, Layout::packed(&[0]).unwrap());
        of(nothing, nothing).unwrap();
        let halves = Clamp::unbounded(DType::F16).with_source(DType::I16).unwrap();
        clamper.prepare(&halves, Operands::in_place(dst)).unwrap();
        // Known to be what it is before.
        clamper.prepare(&halves, Operands::in_place(dst.with_dtype(DType::I16))).unwrap();
        let error =
            clamper.prepare(&halves, Operands::in_place(View::of::<f16>(&floats, packed))).unwrap_err();
        assert_eq!(error, mismatch("src and dst", "the clamp's source", DType::I16, DType::F16));
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
        assert_eq!(of(2, &[clamp; 3]).unwrap_err(), Error::Axis { axis: 2, rank: 2 });
        let error = of(1, &[clamp; 2]).unwrap_err();
        assert_eq!(error, Error::ChannelCount { axis: 1, extent: 3, clamps: 2 });
        let said = "clamps: 2 given for axis 1 of extent 3; one for each index is needed";
        assert_eq!(error.to_string(), said);
        for (other, property) in [
            (clamp.with_source(DType::U8).unwrap(), "source dtype"),
            (Clamp::new(0_u8, 1), "source dtype"),
            (clamp.with_order(Order::MaxWins), "order"),
            (clamp.with_nan_rule(NanRule::ToMin), "NaN rule"),
            (clamp.with_precision(Precision::Exact), "precision"),
            (clamp.with_rounding(Rounding::NearestEven), "rounding"),
        ] {
            let error = of(1, &[clamp, clamp, other]).unwrap_err();
            assert!(
                matches!(&error, Error::ChannelsDiffer { channel: 2, property: named, .. } if *named == property),
                "{error:?}"
            );
            assert!(error.to_string().starts_with(&format!("clamps: channel 2 has {property} ")), "{error}");
        }
        let on_gpu = clamp.with_bounds(Number::Absent, Number::OnGpu).unwrap();
        let error = of(1, &[clamp, on_gpu, clamp]).unwrap_err();
        assert_eq!(error, Error::ChannelBoundOnGpu { channel: 1, argument: "max" });
        let error = of(1, &[on_gpu, clamp, clamp]).unwrap_err();
        assert_eq!(error, Error::ChannelBoundOnGpu { channel: 0, argument: "max" });
        assert_eq!(
            Plan::new(Clamps::along(1, &[clamp; 2]), &layout, &layout, gpu.clamper().limits()).unwrap_err(),
            Error::ChannelCount { axis: 1, extent: 3, clamps: 2 }
        );
        let none = Tensor::zeros(&gpu.host, DType::F32, &[2, 0]).unwrap();
        let prepared = gpu.clamper().prepare(Clamps::along(1, &[]), Operands::in_place(none.view())).unwrap();
        assert_eq!(prepared.dispatches(), 0);
    }
}
