//! Which devices compute F64 in hardware, and convert F16 by instructions of their own. The other files test the results, on
//! `devices()`.

use wgpu_clamp::{Clamp, Host, Operands, Plan, Tensor, wgpu};

use crate::harness::{F64_FEATURES, Gpu, alone, compare, f64_gpus, gpus, packed, with_features};

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
fn a_device_with_both_features_alone_computes_f64() {
    assert_eq!(f64_gpus().len(), gpus().filter(|gpu| gpu.offers_f64()).count());
    for gpu in f64_gpus() {
        assert!(is_fast(gpu), "{}", gpu.name);
    }
    for gpu in gpus() {
        assert!(!is_fast(gpu), "{}", gpu.name);
        for feature in F64_FEATURES.iter().filter(|feature| gpu.adapter.features().contains(*feature)) {
            let gpu = with_features(&gpu.adapter, feature, wgpu::Limits::downlevel_defaults());
            assert!(!is_fast(&gpu), "{feature:?} on {}", gpu.name);
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

/// The probe accepts llvmpipe's conversions of F16, on Vulkan and on GL.
#[test]
fn llvmpipe_converts_f16() {
    for gpu in gpus().filter(|gpu| gpu.name.starts_with("llvmpipe")) {
        let host = gpu.fresh().host;
        assert!(pollster::block_on(host.check_f16()).unwrap(), "{}", gpu.name);
        assert!(host.clamper().limits().f16_conversions, "{}", gpu.name);
    }
}
