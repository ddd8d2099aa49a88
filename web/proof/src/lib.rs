//! Fills a column of the matrix, the results of one device, on WebGPU in browsers and in Node with Dawn.

#![cfg(target_arch = "wasm32")]

use std::ops::Range;
use std::time::Duration;

use clamp_proof::Column;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};
use wgpu_clamp::{Clamper, Host, Outcome, wgpu};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn log(line: &str);
}

/// Fills the column of `implementation` on a device with these `limits`, `default` or `downlevel`, and returns it as
/// JSON. Progress goes to the console. `adapter` is the page's description of the adapter, since wgpu passes on little.
/// `cases` is a part of the self-test, such as `0..20`, or empty for all of it.
///
/// # Errors
///
/// An argument is none of these, there is no such device, or a case could not be run.
#[wasm_bindgen]
pub async fn column(
    implementation: &str,
    adapter: &str,
    limits: &str,
    cases: &str,
) -> Result<String, JsError> {
    let required =
        clamp_proof::limits(limits).ok_or_else(|| JsError::new("limits are default or downlevel"))?;
    let config = format!("{limits} limits, no feature");
    let cases = range(cases)?;
    let start = js_sys::Date::now();
    let clock = || {
        // Such as 2026-11-22T12:00:00.000Z.
        let date: String = js_sys::Date::new_0().to_iso_string().into();
        let passed = Duration::from_secs_f64((js_sys::Date::now() - start) / 1000.0);
        (date.chars().take_while(|&c| c != 'T').collect(), passed)
    };
    let mut wrong = 0;
    let progress = |done: usize, total, outcome: &Outcome| {
        if !outcome.report.passed() {
            wrong += 1;
            log(&outcome.to_string());
        }
        if done.is_multiple_of(20) || done == total {
            log(&format!("{implementation}, {config}: {done} of {total} cases, {wrong} wrong"));
        }
    };
    let host = open(required).await?;
    let mut column = Column::fill(implementation, &host, &config, cases, progress, clock).await?;
    adapter.clone_into(&mut column.adapter);
    Ok(serde_json::to_string(&column)?)
}

fn range(cases: &str) -> Result<Range<usize>, JsError> {
    if cases.is_empty() {
        return Ok(0..usize::MAX);
    }
    let ends = cases.split_once("..").ok_or_else(|| JsError::new("cases are given as FIRST..END"))?;
    Ok(ends.0.parse()?..ends.1.parse()?)
}

async fn open(required_limits: wgpu::Limits) -> Result<Host, JsError> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = adapter.request_device(&descriptor).await?;
    Ok(Host::new(&Clamper::new(&device)?, &queue))
}
