//! The library in a browser, where nothing may block: readback, slices of host memory, errors that come later.
//!
//! A browser without WebGPU fails these tests: none is skipped. That each kernel and dtype has the right bits is for the
//! self-test, of which some cases run here and all in `cargo xtask proof`.

#![cfg(target_arch = "wasm32")]

#[path = "../../../tests/conformance/quantize.rs"]
mod recorded;

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Waker};

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use wgpu_clamp::{Clamp, Clamper, DType, Error, Host, Layout, Operands, Plan, Tensor, View, wgpu};

wasm_bindgen_test_configure!(run_in_browser);

/// A device with `Limits::downlevel_defaults()`, which the browser may raise to its own defaults.
async fn open() -> (Host, [wgpu::ErrorScopeGuard; 3]) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await;
    let descriptor =
        wgpu::DeviceDescriptor { required_limits: wgpu::Limits::downlevel_defaults(), ..Default::default() };
    let (device, queue) = adapter.expect("a browser with WebGPU").request_device(&descriptor).await.unwrap();
    let filters =
        [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation];
    (
        Host::new(&Clamper::new(&device).unwrap(), &queue),
        filters.map(|filter| device.push_error_scope(filter)),
    )
}

/// Fails if WebGPU has reported an error. On the web, errors come later than the calls, which do not return them.
async fn close(scopes: [wgpu::ErrorScopeGuard; 3]) {
    for scope in scopes.into_iter().rev() {
        if let Some(error) = scope.pop().await {
            panic!("{error}");
        }
    }
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251) as u8).collect()
}

#[wasm_bindgen_test]
async fn a_device_is_opened_and_named() {
    let host = Host::open().await.unwrap();
    assert!(host.description().contains("BrowserWebGpu"), "{}", host.description());
    let mut out = [0.0_f32; 3];
    host.clamp_slice(Clamp::new(0.0_f32, 6.0), &[-1.5_f32, 0.25, 7.0], &mut out).run().await.unwrap();
    assert_eq!(out.map(f32::to_bits), [0.0_f32, 0.25, 6.0].map(f32::to_bits));
}

#[wasm_bindgen_test]
async fn cases_of_the_self_test_agree_with_the_reference() {
    let (host, scopes) = open().await;
    for first in (0..600).step_by(50) {
        let mut done = 0;
        let progress = |now, total, _: &_| done += usize::from(now <= total);
        let report =
            host.self_test().with_cases(first..first + 2).with_progress(progress).run().await.unwrap();
        assert!(report.passed(), "{report}");
        assert_eq!((report.outcomes().len(), done), (2, 2));
    }
    close(scopes).await;
}

/// Quantisations that ONNX Runtime computed.
#[wasm_bindgen_test]
async fn every_node_of_onnx_runtime_is_equal() {
    let (host, scopes) = open().await;
    let bytes_of = |dtype: DType, elements: &[u64]| -> Vec<u8> {
        elements.iter().flat_map(|bits| bits.to_le_bytes()[..dtype.size()].to_vec()).collect()
    };
    for recorded::Node { operator, clamp, x, y } in &recorded::nodes() {
        let mut dst = bytes_of(clamp.dtype(), &vec![0; y.len()]);
        host.clamp_bytes(clamp, &bytes_of(clamp.source(), x), &mut dst).run().await.unwrap();
        assert_eq!(dst, bytes_of(clamp.dtype(), y), "{operator} of {}: {clamp}", recorded::FILE);
    }
    close(scopes).await;
}

/// Buffers are whole words long, host memory need not be.
#[wasm_bindgen_test]
async fn odd_lengths() {
    let (host, scopes) = open().await;
    let clamp = Clamp::new(50_u8, 201);
    for len in (0..20).chain([4_095, 4_097]) {
        let src = bytes(len);
        let right: Vec<u8> = src.iter().map(|&x| x.clamp(50, 201)).collect();
        assert_eq!(Tensor::upload(&host, &[len], &src).unwrap().read::<u8>().await.unwrap(), src);
        let mut dst = vec![0; len];
        host.clamp_slice(clamp, &src, &mut dst).run().await.unwrap();
        assert_eq!(dst, right);
        dst.copy_from_slice(&src);
        host.clamp_slice_in_place(clamp, &mut dst).run().await.unwrap();
        assert_eq!(dst, right);
    }
    close(scopes).await;
}

/// The slice goes through the device in chunks, and the progress shows them.
#[wasm_bindgen_test]
async fn a_slice_larger_than_a_binding() {
    let (host, scopes) = open().await;
    let len = host.clamper().device().limits().max_storage_buffer_binding_size as usize + 12_345;
    let mut data = bytes(len);
    let mut said = Vec::new();
    let clamp = Clamp::new(50_u8, 201);
    let run = host.clamp_slice_in_place(clamp, &mut data);
    run.with_progress(|done, total| said.push((done, total))).run().await.unwrap();
    assert_eq!(said.last(), Some(&(len, len)));
    assert!(said.len() > 3 && said.is_sorted(), "{said:?}");
    assert!(data.iter().enumerate().all(|(i, &x)| x == ((i * 7 + i / 251) as u8).clamp(50, 201)));
    close(scopes).await;
}

/// The browser finishes the work under way, and the device stays usable.
#[wasm_bindgen_test]
async fn a_dropped_future_leaves_the_slice_alone_and_the_device_alive() {
    let (host, scopes) = open().await;
    let clamp = Clamp::new(1_u32, 2);
    let mut data = vec![9_u32; 100_000];
    {
        let mut run = pin!(host.clamp_slice_in_place(clamp, &mut data).run());
        // Nothing arrives before this function gives the thread back to the browser.
        assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert!(data.iter().all(|&x| x == 9));
    host.clamp_slice_in_place(clamp, &mut data).run().await.unwrap();
    assert!(data.iter().all(|&x| x == 2));
    close(scopes).await;
}

#[wasm_bindgen_test]
async fn prepared_once_and_recorded_into_one_pass() {
    let (host, scopes) = open().await;
    let clamper = host.clamper();
    let pixels = Tensor::upload(&host, &[2, 3], &[0_u8, 10, 20, 30, 40, 250]).unwrap();
    let planes = Tensor::zeros(&host, DType::U8, &[3, 2]).unwrap();
    let by_plane = View::of::<u8>(pixels.buffer(), pixels.layout().permute(&[1, 0]).unwrap());
    let double = Clamp::at_most(200_u8).with_affine(2.0, 1.0).unwrap();
    let double = clamper.prepare(double, Operands::new(by_plane, planes.view())).unwrap();
    let cap = clamper.prepare(Clamp::at_least(30_u8), Operands::in_place(planes.view())).unwrap();

    let mut encoder = clamper.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for prepared in [&double, &cap, &double, &cap] {
            prepared.record(&mut pass);
        }
    }
    let back = Tensor::zeros(&host, DType::U8, &[3, 2]).unwrap();
    let operands = Operands::new(planes.view(), back.view());
    clamper.encode(&mut encoder, Clamp::at_most(190_u8), operands).unwrap();
    host.queue().submit([encoder.finish()]);
    assert_eq!(planes.read::<u8>().await.unwrap(), [30, 61, 30, 81, 41, 200]);
    assert_eq!(back.read::<u8>().await.unwrap(), [30, 61, 30, 81, 41, 190]);
    close(scopes).await;
}

/// The tensor exceeds the largest binding, so the plan has two windows.
#[wasm_bindgen_test]
async fn a_tensor_larger_than_a_binding() {
    let (host, scopes) = open().await;
    let binding = host.clamper().device().limits().max_storage_buffer_binding_size as usize;
    let ends = Layout::strided(&[2, 7], &[(binding + 64).cast_signed(), 1], 5).unwrap();
    let clamp = Clamp::new(10_u8, 20);
    let plan = Plan::in_one_buffer(clamp, &ends, &ends, host.clamper().limits()).unwrap();
    assert!(plan.to_string().contains("windows: 2"), "{plan}");

    let tensor = Tensor::zeros(&host, DType::U8, &[ends.required_bytes(DType::U8) as usize]).unwrap();
    host.submit(clamp, Operands::in_place(View::new(tensor.buffer(), tensor.dtype(), ends))).unwrap();
    let after = tensor.read::<u8>().await.unwrap();
    let (front, back) = (5..12, binding + 69..binding + 76);
    let right = |(at, &x): (usize, &u8)| x == if front.contains(&at) || back.contains(&at) { 10 } else { 0 };
    assert!(after.iter().enumerate().all(right));
    close(scopes).await;
}

/// The crate cannot see that a buffer is destroyed, so the call succeeds and the program's error scope has the error.
/// On native, the call itself fails.
#[wasm_bindgen_test]
async fn a_destroyed_buffer_is_reported_to_the_error_scope() {
    let (host, scopes) = open().await;
    let tensor = Tensor::upload(&host, &[4], &[1_u8, 2, 3, 4]).unwrap();
    tensor.buffer().destroy();
    let scope = host.clamper().device().push_error_scope(wgpu::ErrorFilter::Validation);
    host.submit(Clamp::new(2_u8, 3), Operands::in_place(tensor.view())).unwrap();
    let error = scope.pop().await.expect("WebGPU refuses the submission");
    assert!(error.to_string().contains("destroyed"), "{error}");
    close(scopes).await;
}

/// WebGPU accepts all calls on a destroyed device and does nothing. Only a readback fails.
#[wasm_bindgen_test]
async fn a_destroyed_device_is_an_error_and_no_trap() {
    let (host, scopes) = open().await;
    let tensor = Tensor::upload(&host, &[4], &[1_u8, 2, 3, 4]).unwrap();
    let clamp = Clamp::new(2_u8, 3);
    host.clamper().device().destroy();

    host.submit(clamp, Operands::in_place(tensor.view())).unwrap();
    Tensor::upload(&host, &[4], &[1_u8, 2, 3, 4]).unwrap();
    let mut data = [1_u8, 2, 3, 4];
    let errors = [
        tensor.read::<u8>().await.unwrap_err(),
        host.clamp_slice_in_place(clamp, &mut data).run().await.unwrap_err(),
        host.self_test().with_cases(0..1).run().await.unwrap_err(),
    ];
    assert!(errors.iter().all(|error| matches!(error, Error::Wgpu { .. })), "{errors:?}");
    assert_eq!(data, [1, 2, 3, 4]);
    close(scopes).await;
}
