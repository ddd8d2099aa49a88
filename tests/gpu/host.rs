//! Uploads and readbacks.

use half::f16;
use wgpu_clamp::{Element, Host, Tensor};

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
        round_trip(host, &[f16::from_f32(1.5); 3]);
        round_trip(host, &[i32::MIN; 7]);
        round_trip(host, &[0.1_f64; 3]);
        round_trip(host, &[i64::MIN; 3]);
        round_trip::<f32>(host, &[]);
    }
}
