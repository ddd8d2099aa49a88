//! Which devices compute F64 in hardware. The other files test the results, on `devices()`.

use half::f16;
use wgpu_clamp::{Clamp, Clamper, DType, Host, Operands, Plan, Tensor, wgpu};

use crate::harness::{F64_FEATURES, Gpu, alone, compare, f64_gpus, gpus, packed, with_features, with_limits};

/// Whether F64 takes the fast step on the device. Compares the result with the reference.
fn is_fast(gpu: &Gpu) -> bool {
    // The products use all their bits, so arithmetic in f32, or on swapped words, would be far off.
    let clamp = Clamp::new(-1e300, 1e300).with_scale_bias(1.1, -0.37).unwrap();
    // Ordinary and subnormal elements, the greatest one, and both infinities.
    let elements: [f64; 8] =
        [1.0 / 3.0, -1e-310, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 0.37 / 1.1, 1e17];
    let tensor = Tensor::upload(&gpu.host, &[elements.len()], &elements).unwrap();
    let operands = Operands::in_place(tensor.view());
    gpu.host.submit(&clamp, operands).unwrap();
    let bytes = bytemuck::cast_slice(&elements);
    compare(gpu, &clamp, operands, bytes, bytes);
    let line = packed(&[elements.len()]);
    let plan = Plan::new(&clamp, &line, &line, gpu.clamper().limits()).unwrap().to_string();
    assert!(plan.contains("fast affine step, ") != plan.contains("exact affine step, "), "{plan}");
    plan.contains("fast affine step, ")
}

#[test]
fn a_device_with_both_features_computes_f64() {
    assert_eq!(f64_gpus().len(), gpus().filter(|gpu| gpu.offers_f64()).count());
    for gpu in f64_gpus() {
        assert!(is_fast(gpu), "{}", gpu.name);
    }
    for gpu in gpus() {
        assert!(!is_fast(gpu), "{}", gpu.name);
    }
}

#[test]
fn one_of_the_features_is_not_enough() {
    for gpu in gpus() {
        for feature in F64_FEATURES.iter() {
            if gpu.adapter.features().contains(feature) {
                let gpu = with_features(&gpu.adapter, feature, wgpu::Limits::downlevel_defaults());
                assert!(!is_fast(&gpu), "{feature:?} on {}", gpu.name);
            }
        }
    }
}

#[test]
fn an_opened_host_computes_f64_where_the_adapter_does() {
    if !alone("features::an_opened_host_computes_f64_where_the_adapter_does") {
        return;
    }
    let host = Host::open_blocking().unwrap();
    let gpu = gpus().find(|gpu| gpu.name == host.adapter()).unwrap();
    let opened = Gpu { name: gpu.name.clone(), adapter: gpu.adapter.clone(), host };
    assert_eq!(is_fast(&opened), gpu.offers_f64(), "{}", gpu.name);
}

/// Both ways to convert F16 give the same bits: the device's instructions, if the probe finds them right, and integer
/// operations.
#[test]
fn f16_is_the_same_by_the_device_and_by_integers() {
    let to_f16 = |source| Clamp::unbounded(DType::F16).with_source(source).unwrap();
    let f32_of = |source| Clamp::unbounded(DType::F32).with_source(source).unwrap();
    let halves: Vec<u16> = (0..=u16::MAX).collect();
    // Each F16 as an f32, the midpoint to its neighbour, and the f32s next to both.
    let singles: Vec<f32> = halves
        .iter()
        .flat_map(|&bits| {
            let [x, next] = [bits, bits.wrapping_add(1)].map(|bits| f16::from_bits(bits).to_f32());
            [x, f32::midpoint(x, next)].into_iter().flat_map(|x| [x, x.next_up(), x.next_down()])
        })
        .collect();
    let (halves, singles): (&[u8], &[u8]) = (bytemuck::cast_slice(&halves), bytemuck::cast_slice(&singles));
    for gpu in gpus() {
        let ways = [false, true].map(|by_device| {
            let new = with_limits(&gpu.adapter, wgpu::Limits::downlevel_defaults());
            let host = Host::new(&Clamper::new(new.host.clamper().device()).unwrap(), new.host.queue());
            let right = by_device && pollster::block_on(host.check_f16()).unwrap();
            assert!(right == by_device || !gpu.name.starts_with("llvmpipe"), "{}", gpu.name);
            assert_eq!(host.clamper().limits().f16_conversions, right);
            [
                (to_f16(DType::F16).with_affine(1.0, 0.0).unwrap(), halves),
                (to_f16(DType::F16).with_affine(-3.0, 0.1).unwrap(), halves),
                (f32_of(DType::F16), halves),
                (f32_of(DType::F16).with_affine(0.5, 2.0).unwrap(), halves),
                (to_f16(DType::F32), singles),
                (to_f16(DType::F32).with_affine(0.25, 0.0).unwrap(), singles),
            ]
            .map(|(clamp, elements)| {
                let mut dst_after = vec![0; elements.len() / clamp.source().size() * clamp.dtype().size()];
                host.clamp_bytes(&clamp, elements, &mut dst_after).run_blocking().unwrap();
                dst_after
            })
        });
        assert!(ways[0] == ways[1], "{}", gpu.name);
    }
}
