//! Runs the self-test on WebGPU, in browsers and in Node with Dawn.

#![cfg(target_arch = "wasm32")]

use clamp_check::{Row, limits, range};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};
use wgpu_clamp::self_test::Outcome;
use wgpu_clamp::{Clamper, Host, wgpu};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn log(line: &str);
}

/// Runs these `cases` of the self-test, such as `0..20`, with default and with downlevel limits. Returns the row of
/// `implementation`. What differs goes to the console. `adapter` is the page's description, since wgpu passes on little.
///
/// # Errors
///
/// `cases` is no range, there is no such device, or a case could not be run.
#[wasm_bindgen]
pub async fn row(implementation: &str, adapter: &str, date: &str, cases: &str) -> Result<String, JsError> {
    let cases = range(cases).map_err(|error| JsError::new(&error))?;
    let mut row = Row::new(implementation, adapter, date);
    for (named, limits) in limits() {
        let progress = |done: usize, total, outcome: &Outcome| {
            if !outcome.report.passed() {
                log(&outcome.to_string());
            }
            if done.is_multiple_of(20) || done == total {
                log(&format!("{named}: {done} of {total} cases"));
            }
        };
        row.add(&open(limits).await?, cases.clone(), progress).await?;
    }
    Ok(row.to_string())
}

async fn open(required_limits: wgpu::Limits) -> Result<Host, JsError> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = adapter.request_device(&descriptor).await?;
    Ok(Host::new(&Clamper::new(&device)?, &queue))
}
