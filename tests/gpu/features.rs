//! Which devices compute F64, and convert F16, in hardware. What comes out is in the other files, on their `devices()`.

use wgpu_clamp::{Clamp, DType, Host, Layout, Operands, Plan, Tensor, verify, wgpu};

use crate::harness::{FEATURES, Feature, alone, featured_gpus, gpus, with_features};

/// An affine step for which the feature counts.
fn step(feature: Feature) -> Clamp {
    // Products that end in any bits, so that arithmetic in f32, or on words of the wrong order, is far off.
    let f64_step = Clamp::new(-1e300, 1e300).with_affine_f64(1.1, -0.37);
    match feature.dtype {
        DType::F64 => f64_step.unwrap(),
        DType::F16 => Clamp::unbounded(DType::F16).with_affine(1.1, -0.37).unwrap(),
        dtype => unreachable!("{dtype} takes no feature"),
    }
}

/// Ordinary elements, subnormal ones, the greatest and both infinities.
fn elements(dtype: DType) -> Vec<u64> {
    match dtype {
        DType::F16 => [0x3555, 0x8001, 0x03ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01].to_vec(),
        _ => [1.0 / 3.0, -1e-310, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 0.37 / 1.1, 1e17]
            .map(f64::to_bits)
            .to_vec(),
    }
}

/// Whether the step is chosen that takes the feature; the result is held to the reference.
fn takes(host: &Host, feature: Feature) -> bool {
    let (clamp, dtype) = (step(feature), feature.dtype);
    let elements = elements(dtype);
    let bytes: Vec<u8> =
        elements.iter().flat_map(|bits| bits.to_le_bytes()[..dtype.size()].to_vec()).collect();
    let tensor = Tensor::upload_bytes(host, dtype, &[elements.len()], &bytes).unwrap();
    host.submit(&clamp, Operands::in_place(tensor.view())).unwrap();
    let after = tensor.read_bytes_blocking().unwrap();
    let line = Layout::packed(&[elements.len()]).unwrap();
    let report = verify::check(&clamp, &line, &bytes, &line, &bytes, &after).unwrap();
    assert!(report.passed(), "{report} on {}", host.adapter());
    let plan = Plan::new(&clamp, &line, &line, host.clamper().limits()).unwrap().to_string();
    let slow = if dtype == DType::F64 { "exact affine step, " } else { "fast affine step, " };
    let fast =
        if dtype == DType::F64 { "fast affine step, " } else { "fast affine step by f16 in hardware, " };
    assert!(plan.contains(fast) != plan.contains(slow), "{plan}");
    plan.contains(fast)
}

#[test]
fn a_device_with_all_that_it_needs_takes_a_feature() {
    for feature in FEATURES {
        let offering = gpus().iter().filter(|gpu| gpu.offers(feature)).count();
        assert_eq!(featured_gpus().iter().filter(|gpu| gpu.has(feature)).count(), offering);
        for gpu in featured_gpus() {
            assert_eq!(takes(&gpu.host, feature), gpu.has(feature), "{feature:?} {}", gpu.name);
        }
        for gpu in gpus() {
            assert!(!takes(&gpu.host, feature), "{feature:?} {}", gpu.name);
        }
    }
}

#[test]
fn a_part_of_it_is_not_enough() {
    for gpu in gpus() {
        for feature in FEATURES {
            for part in feature.needed.iter() {
                if gpu.adapter.features().contains(part) {
                    let gpu = with_features(&gpu.adapter, part, wgpu::Limits::downlevel_defaults());
                    assert!(!takes(&gpu.host, feature), "{part:?} on {}", gpu.name);
                }
            }
        }
    }
}

#[test]
fn an_opened_host_takes_what_makes_the_adapter_faster() {
    if !alone("features::an_opened_host_takes_what_makes_the_adapter_faster") {
        return;
    }
    let host = Host::open_blocking().unwrap();
    let gpu = gpus().iter().find(|gpu| gpu.name == host.adapter()).unwrap();
    // Where F16 by hardware is a program on the CPU, it takes longer than without.
    let on_cpu = gpu.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
    for feature in FEATURES {
        let wanted = gpu.offers(feature) && !(feature.dtype == DType::F16 && on_cpu);
        assert_eq!(takes(&host, feature), wanted, "{feature:?} {}", gpu.name);
    }
}
