//! Which devices compute F64 in hardware. What they compute is in the other files, on their `devices()`.

use wgpu_clamp::{Clamp, Host, Layout, Plan, reference, wgpu};

use crate::harness::{F64_FEATURES, Gpu, alone, f64_gpus, gpus, with_features};

/// Products that end in any bits, so that arithmetic in f32, or on words of the wrong order, is far off.
fn step() -> Clamp {
    Clamp::new(-1e300, 1e300).with_affine_f64(1.1, -0.37).unwrap()
}

/// Which step is chosen, in words; the result is held to the reference.
fn run(host: &Host) -> String {
    let data = [1.0 / 3.0, -1e-310, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 0.37 / 1.1, 1e17];
    let mut after = data;
    host.clamp_slice_in_place(&step(), &mut after).run_blocking().unwrap();
    for (before, after) in data.into_iter().zip(after) {
        let allowed = reference::allowed(&step(), before.to_bits());
        assert!(allowed.contains(after.to_bits()), "{before:e} became {after:e} on {}", host.adapter());
    }
    let line = Layout::packed(&[data.len()]).unwrap();
    Plan::new(&step(), &line, &line, host.clamper().limits()).unwrap().to_string()
}

fn is_fast(host: &Host) -> bool {
    let plan = run(host);
    assert!(plan.contains("fast affine step") != plan.contains("exact affine step"), "{plan}");
    plan.contains("fast affine step")
}

/// The adapter has both features, and the backend is one for which naga writes what is meant.
fn has_both(gpu: &Gpu) -> bool {
    let vulkan = gpu.adapter.get_info().backend == wgpu::Backend::Vulkan;
    vulkan && gpu.adapter.features().contains(F64_FEATURES)
}

#[test]
fn a_device_with_both_features_computes_f64() {
    assert_eq!(f64_gpus().len(), gpus().iter().filter(|gpu| has_both(gpu)).count());
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
    if !alone("f64_arithmetic::an_opened_host_computes_f64_where_the_adapter_does") {
        return;
    }
    let host = Host::open_blocking().unwrap();
    let gpu = gpus().iter().find(|gpu| gpu.name == host.adapter()).unwrap();
    assert_eq!(is_fast(&host), has_both(gpu), "{}", gpu.name);
}
