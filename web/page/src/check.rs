//! The page's check of the visitor's device.

use clamp_check::{Check, Extent, Report};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};
use wgpu_clamp::{DType, wgpu};

/// A check of the adapter that the browser gives, one case at a time.
#[wasm_bindgen]
pub struct DeviceCheck {
    check: Check,
    /// The browser's description of the adapter, since wgpu passes on little.
    adapter: String,
    is_cpu: bool,
    system: String,
    date: String,
}

#[wasm_bindgen]
impl DeviceCheck {
    /// Opens a device for a quick or a whole check.
    ///
    /// # Errors
    ///
    /// There is no adapter, or it gives no device.
    pub async fn open(
        quick: bool,
        adapter: String,
        is_cpu: bool,
        system: String,
        date: String,
    ) -> Result<Self, JsError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let extent = if quick { Extent::Quick } else { Extent::Whole };
        let check = Check::open(&instance.request_adapter(&options).await?, extent).await?;
        Ok(Self { check, adapter, is_cpu, system, date })
    }

    /// Runs the next case. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// The device is lost, or has no memory.
    pub async fn next(&mut self) -> Result<bool, JsError> {
        Ok(self.check.next().await?.is_some())
    }

    /// Measures the speed: some seconds.
    ///
    /// # Errors
    ///
    /// The device is lost, or has no memory.
    pub async fn measure(&mut self) -> Result<(), JsError> {
        self.check.measure().await?;
        Ok(())
    }

    /// The report so far, and why it ends early if it does: an object as JSON, and the text.
    #[must_use]
    pub fn report(&self, ended: Option<String>) -> Vec<String> {
        let report = Report {
            backend: "WebGPU".to_owned(),
            adapter: self.adapter.clone(),
            is_cpu: self.is_cpu,
            ..self.check.report(&self.date, &self.system, ended)
        };
        vec![report.to_json(), report.to_string()]
    }

    /// The types that convert into each other, in the order of the grid.
    #[must_use]
    pub fn convertible() -> Vec<String> {
        DType::CONVERTIBLE.iter().map(DType::to_string).collect()
    }

    /// The types that do not convert.
    #[must_use]
    pub fn others() -> Vec<String> {
        let others = DType::ALL.iter().filter(|dtype| !DType::CONVERTIBLE.contains(dtype));
        others.map(DType::to_string).collect()
    }
}
