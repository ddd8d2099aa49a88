//! Which devices compute F64 in hardware. The other files test the results, on `devices()`.

use wgpu_clamp::{Clamp, DType, Host, Layout, Operands, Plan, Tensor, verify, wgpu};

use crate::harness::{F64_FEATURES, alone, f64_gpus, gpus, with_features};

/// Whether F64 takes the fast step. Compares the result with the reference.
fn is_fast(host: &Host) -> bool {
    // The products use all their bits, so arithmetic in f32, or on swapped words, would be far off.
    let clamp = Clamp::new(-1e300, 1e300).with_scale_bias(1.1, -0.37).unwrap();
    // Ordinary and subnormal elements, the greatest one, and both infinities.
    let elements: [f64; 8] =
        [1.0 / 3.0, -1e-310, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 0.37 / 1.1, 1e17];
    let bytes: Vec<u8> = elements.into_iter().flat_map(f64::to_le_bytes).collect();
    let tensor = Tensor::upload_bytes(host, DType::F64, &[elements.len()], &bytes).unwrap();
    host.submit(&clamp, Operands::in_place(tensor.view())).unwrap();
    let after = tensor.read_bytes_blocking().unwrap();
    let line = Layout::packed(&[elements.len()]).unwrap();
    let report = verify::check(
        &clamp,
        verify::Buffers {
            src_layout: &line,
            src: &bytes,
            dst_layout: &line,
            dst_before: &bytes,
            dst_after: &after,
        },
    )
    .unwrap();
    assert!(report.passed(), "{report} on {}", host.adapter());
    let plan = Plan::new(&clamp, &line, &line, host.clamper().limits()).unwrap().to_string();
    assert!(plan.contains("fast affine step, ") != plan.contains("exact affine step, "), "{plan}");
    plan.contains("fast affine step, ")
}

#[test]
fn a_device_with_both_features_computes_f64() {
    assert_eq!(f64_gpus().len(), gpus().iter().filter(|gpu| gpu.offers_f64()).count());
    for gpu in f64_gpus() {
        assert!(is_fast(&gpu.host), "{}", gpu.name);
    }
    for gpu in gpus() {
        assert!(!is_fast(&gpu.host), "{}", gpu.name);
    }
}

#[test]
fn one_of_the_features_is_not_enough() {
    for gpu in gpus() {
        for feature in F64_FEATURES.iter() {
            if gpu.adapter.features().contains(feature) {
                let gpu = with_features(&gpu.adapter, feature, wgpu::Limits::downlevel_defaults());
                assert!(!is_fast(&gpu.host), "{feature:?} on {}", gpu.name);
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
    let gpu = gpus().iter().find(|gpu| gpu.name == host.adapter()).unwrap();
    assert_eq!(is_fast(&host), gpu.offers_f64(), "{}", gpu.name);
}
