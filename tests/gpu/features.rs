//! Which devices compute F64 in hardware, and convert F16 by instructions of their own. The other files test the results, on
//! `devices()`.

use wgpu_clamp::{Clamp, Clamper, F16Conversions, Host, Operands, Plan, Tensor, wgpu};

use crate::harness::{
    F64_FEATURES, Gpu, alone, alone_on_each, compare, f64_gpus, gpus, packed, with_features,
};

/// Whether F64 takes the fast step on the device. Compares the result with the reference.
fn is_fast(gpu: &Gpu) -> bool {
    // The products use all their bits, so arithmetic in f32, or on swapped words, would be far off.
    let clamp = Clamp::new(-1e300, 1e300).with_affine(1.1, -0.37).unwrap();
    // Ordinary and subnormal elements, the greatest one, and both infinities.
    let elements: [f64; 8] =
        [1.0 / 3.0, -1e-310, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 0.37 / 1.1, 1e17];
    let tensor = Tensor::upload(&gpu.host, &[elements.len()], &elements).unwrap();
    let operands = Operands::in_place(tensor.view());
    gpu.host.submit(clamp, operands).unwrap();
    let bytes = bytemuck::cast_slice(&elements);
    compare(gpu, clamp, operands, bytes, bytes);
    let line = packed(&[elements.len()]);
    let plan = Plan::new(clamp, &line, &line, gpu.clamper().limits()).unwrap().to_string();
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
    let gpu = gpus().find(|gpu| gpu.name == host.description()).unwrap();
    let opened = Gpu { name: gpu.name.clone(), adapter: gpu.adapter.clone(), host };
    assert_eq!(is_fast(&opened), gpu.offers_f64(), "{}", gpu.name);
}

/// The check finds llvmpipe's conversions of F16 right, on Vulkan and on GL, in any grid. It changes no clamper: the answer
/// given to one concerns that one alone, and can be taken back.
#[test]
fn llvmpipe_converts_f16() {
    for gpu in gpus().filter(|gpu| gpu.name.starts_with("llvmpipe")) {
        for workgroups in [65_535, 16, 3, 1] {
            let gpu = gpu.limited(|limits| limits.max_compute_workgroups_per_dimension = workgroups);
            let clamper = Clamper::new(gpu.device()).unwrap();
            let found = pollster::block_on(Host::new(&clamper, gpu.host.queue()).check_f16()).unwrap();
            assert_eq!(found, F16Conversions::Right, "{workgroups} workgroups on {}", gpu.name);
            let uses = |clamper: &Clamper| clamper.limits().f16_conversions;
            assert!(!uses(&clamper), "{}", gpu.name);
            let given = clamper.clone().with_f16_conversions(found);
            assert!(uses(&given) && !uses(&clamper), "{}", gpu.name);
            for other in [F16Conversions::Wrong, F16Conversions::NotRun] {
                assert!(!uses(&given.clone().with_f16_conversions(other)), "{}", gpu.name);
            }
            assert!(uses(&given), "{}", gpu.name);
        }
    }
}

/// The host's queue is another device's, so nothing is submitted.
#[test]
fn a_check_that_cannot_run_is_not_a_wrong_one() {
    alone_on_each("features::a_check_that_cannot_run_is_not_a_wrong_one", |gpu| {
        let other = gpu.fresh();
        for gpu in [&gpu, &other] {
            gpu.device().on_uncaptured_error(std::sync::Arc::new(|_| {}));
        }
        let mixed = Host::new(gpu.clamper(), other.host.queue());
        assert_eq!(pollster::block_on(mixed.check_f16()), Ok(F16Conversions::NotRun), "{}", gpu.name);
    });
}
