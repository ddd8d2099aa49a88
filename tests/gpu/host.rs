//! Uploads, readbacks and slices.

use half::{bf16, f16};
use wgpu_clamp::{Clamp, DType, Element, Host, NanRule, Operands, Tensor};

use crate::harness::gpus;

#[test]
fn tensors_come_back_as_they_were() {
    fn round_trip<T: Element + PartialEq + std::fmt::Debug>(host: &Host, data: &[T]) {
        let tensor = Tensor::upload(host, &[data.len()], data).unwrap();
        assert_eq!((tensor.dtype(), tensor.layout().shape()), (T::DTYPE, &[data.len()][..]));
        assert_eq!(pollster::block_on(tensor.read::<T>()).unwrap(), data);
        let zeros = Tensor::zeros(host, T::DTYPE, &[3, data.len()]).unwrap();
        let zeros = zeros.read_blocking::<T>().unwrap();
        assert_eq!(zeros.len(), 3 * data.len());
        assert!(zeros.iter().all(|x| x.to_bits64() == 0));
    }
    for gpu in gpus() {
        let host = &gpu.host;
        // Lengths that do not fill a word.
        round_trip(host, &[1_u8, 2, 3]);
        round_trip(host, &[-1_i8; 9]);
        round_trip(host, &[f16::from_f32(1.5); 3]);
        round_trip(host, &[bf16::from_f32(-2.0); 1]);
        round_trip(host, &[7_u16; 5]);
        round_trip(host, &[-7_i16; 4]);
        round_trip(host, &[0.1_f32, -0.0]);
        round_trip(host, &[u32::MAX; 7]);
        round_trip(host, &[i32::MIN; 7]);
        round_trip(host, &[0.1_f64; 3]);
        round_trip(host, &[u64::MAX; 3]);
        round_trip(host, &[i64::MIN; 3]);
        round_trip::<f32>(host, &[]);
    }
}

#[test]
fn slices_are_clamped_whole() {
    for gpu in gpus() {
        let src: Vec<i16> = (-30_000..30_001).collect();
        let mut dst = vec![0; src.len()];
        let clamp = Clamp::new(-100_i16, 2000);
        gpu.host.clamp_slice(&clamp, &src, &mut dst).run_blocking().unwrap();
        assert!(src.iter().zip(&dst).all(|(&x, &y)| y == x.clamp(-100, 2000)));

        let mut data = src.clone();
        pollster::block_on(gpu.host.clamp_slice_in_place(&clamp, &mut data).run()).unwrap();
        assert_eq!(data, dst);

        let mut nothing: [i16; 0] = [];
        gpu.host.clamp_slice_in_place(&clamp, &mut nothing).run_blocking().unwrap();
    }
}

#[test]
fn a_tensor_is_clamped_in_place_and_into_another() {
    for gpu in gpus() {
        let data = [f64::NAN, -1e300, 0.5, f64::INFINITY];
        let src = Tensor::upload(&gpu.host, &[2, 2], &data).unwrap();
        let dst = Tensor::zeros(&gpu.host, DType::F64, &[2, 2]).unwrap();
        let clamp = Clamp::new(-1.0, 1.0).with_nan_rule(NanRule::ToMin);
        gpu.host.submit(&clamp, Operands::new(src.view(), dst.view())).unwrap();
        assert_eq!(dst.read_blocking::<f64>().unwrap(), [-1.0, -1.0, 0.5, 1.0]);
        gpu.host.submit(&Clamp::at_most(0.25), Operands::in_place(dst.view())).unwrap();
        assert_eq!(dst.read_blocking::<f64>().unwrap(), [-1.0, -1.0, 0.25, 0.25]);
        assert_eq!(src.read_blocking::<f64>().unwrap()[1..], data[1..]);
    }
}
