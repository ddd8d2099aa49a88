//! An adapter, device and queue for programs that have none.

use crate::gpu::adapter::{in_words, shares_memory, worthwhile_features};
use crate::{Clamper, Error, Host};

impl Host {
    /// Picks an adapter and opens a device on it, with all limits that the adapter has and no feature but these:
    /// `MAPPABLE_PRIMARY_BUFFERS` where host and GPU share their memory (but on DX12), which saves copies;
    /// on Vulkan `SHADER_F64` and `SHADER_INT64` where the adapter has both, for
    /// [`Precision::Fast`](crate::Precision::Fast) of F64, and likewise `SHADER_F16` and `SHADER_I16` for that of F16, but
    /// on a CPU, where they make it slower.
    ///
    /// wgpu's environment variables are honoured, among them `WGPU_BACKEND` (such as `vulkan` or `gl`),
    /// `WGPU_ADAPTER_NAME` (a part of the name, in any case) and `WGPU_POWER_PREF` (`low` or `high`, the
    /// latter if not set). [`adapter`](Self::adapter) says what was taken.
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`] if none is there or none fits the variables, [`Error::NoDevice`] if it gives no
    /// device, and those of [`Clamper::new`].
    ///
    /// ```no_run
    /// # async fn f() -> Result<(), wgpu_clamp::Error> {
    /// let host = wgpu_clamp::Host::open().await?;
    /// println!("running on {}", host.adapter());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open() -> Result<Self, Error> {
        let adapter = adapter().await?;
        let (info, offered) = (adapter.get_info(), adapter.features());
        let mut required_features = wgpu::Features::empty();
        if shares_memory(&info) {
            required_features |= offered & wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
        }
        required_features |= worthwhile_features(&info, offered);
        log::debug!("opening a device on {}", in_words(info));
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("wgpu-clamp"),
                required_limits: adapter.limits(),
                required_features,
                ..Default::default()
            })
            .await
            .map_err(|error| Error::NoDevice { reason: error.to_string() })?;
        Ok(Self::new(&Clamper::new(&device)?, &queue))
    }

    /// As [`open`](Self::open), for programs without async. Not on the web, where nothing may block.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_blocking() -> Result<Self, Error> {
        pollster::block_on(Self::open())
    }

    /// The adapter that the device is on, in words: name, backend, kind and driver.
    #[must_use]
    pub fn adapter(&self) -> String {
        in_words(self.clamper().device().adapter_info())
    }
}

async fn adapter() -> Result<wgpu::Adapter, Error> {
    let refused = |reason: String| Error::NoAdapter { reason };
    // `Instance::new` panics without a backend.
    if wgpu::Instance::enabled_backend_features().is_empty() {
        return Err(refused("no backend is compiled in; enable a feature such as `vulkan`".to_owned()));
    }
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    let instance = wgpu::Instance::new(descriptor);
    if let Some(name) = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty()) {
        let adapters = instance.enumerate_adapters(backends).await;
        let names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
        return adapters
            .into_iter()
            .find(|adapter| adapter.get_info().name.to_lowercase().contains(&name.to_lowercase()))
            .ok_or_else(|| {
                refused(format!("WGPU_ADAPTER_NAME is {name:?}, but the adapters are {names:?}"))
            });
    }
    instance
        .request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::from_env()
                .unwrap_or(wgpu::PowerPreference::HighPerformance),
            ..Default::default()
        })
        .await
        .map_err(|error| {
            // There wgpu lists what it was not compiled with.
            refused(if cfg!(target_arch = "wasm32") {
                "the browser has no WebGPU, or no adapter for it".to_owned()
            } else {
                format!(
                    "{error}; a driver for one of {backends:?} is needed \
                     (on Linux, Mesa's lavapipe is one without a GPU)"
                )
            })
        })
}
