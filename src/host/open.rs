//! An adapter, device and queue for programs that have none.

use super::choice;
use crate::gpu::adapter::{described, shader_features, shares_memory};
use crate::{Clamper, Error, Host};

impl Host {
    /// Picks an adapter and opens a device on it, with all of the adapter's limits. Needs backends: the crate's feature
    /// `backends`, or those of the program's own wgpu. The clamper uses the device's conversions of F16 if
    /// [`check_f16`](Self::check_f16) finds them right. Requests only these features:
    ///
    /// - `MAPPABLE_PRIMARY_BUFFERS` where host and GPU share memory (except on DX12), which saves copies,
    /// - `SHADER_F64` and `SHADER_INT64` on Vulkan, where the adapter has both, for
    ///   [`Precision::Fast`](crate::Precision::Fast) of F64.
    ///
    /// wgpu's environment variables apply, among them `WGPU_BACKEND` (such as `vulkan` or `gl`), `WGPU_ADAPTER_NAME`
    /// (a part of the name, in upper or lower case) and `WGPU_POWER_PREF` (`low` or `high`; default `high`).
    /// `WGPU_CLAMP_ADAPTER=1` takes the adapter with index 1, as `open_nth` does.
    /// [`description`](Self::description) names the adapter taken.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if there is no adapter, no adapter fits the variables, or the adapter taken gives no device;
    /// those of [`Clamper::new`] and [`check_f16`](Self::check_f16).
    ///
    /// ```no_run
    /// # async fn f() -> Result<(), wgpu_clamp::Error> {
    /// let host = wgpu_clamp::Host::open().await?;
    /// println!("running on {}", host.description());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open() -> Result<Self, Error> {
        Self::on(&choice::adapter().await?).await
    }

    /// As [`open`](Self::open), on the `n`-th GPU of the machine, counted from 0. So each of several processes or
    /// threads can have a GPU of its own, even among equal ones.
    ///
    /// - Discrete GPUs come first, then virtual, then integrated, then other ones.
    /// - Each kind is sorted by PCI bus id, as in `nvidia-smi`. Vulkan reports these ids; GPUs without one come last in
    ///   their kind, in wgpu's order.
    /// - A GPU that several backends or drivers offer counts once. All GPUs are taken from the backend of the first
    ///   GPU.
    /// - Software adapters count only if there is no GPU.
    /// - `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` restrict the count.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if there is no `n`-th adapter (the error lists those counted); those of
    /// [`open`](Self::open).
    ///
    /// ```no_run
    /// # use wgpu_clamp::Host;
    /// // Of four workers on a machine, this one has the last of four GPUs.
    /// let host = Host::open_nth_blocking(3)?;
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub async fn open_nth(n: usize) -> Result<Self, Error> {
        Self::on(&choice::nth(n).await?).await
    }

    async fn on(adapter: &wgpu::Adapter) -> Result<Self, Error> {
        let (info, offered) = (adapter.get_info(), adapter.features());
        let mut required_features = wgpu::Features::empty();
        if shares_memory(&info) {
            required_features |= offered & wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
        }
        required_features |= shader_features(&info, offered);
        log::debug!("opening a device on {}", described(info));
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("wgpu-clamp"),
                required_limits: adapter.limits(),
                required_features,
                ..Default::default()
            })
            .await
            .map_err(|error| Error::NoDevice { reason: error.to_string() })?;
        let clamper = Clamper::new(&device)?;
        let found = Self::new(&clamper, &queue).check_f16().await?;
        Ok(Self::new(&clamper.with_f16_conversions(found), &queue))
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

    /// As [`open_nth`](Self::open_nth), for programs without async.
    ///
    /// # Errors
    ///
    /// Those of [`open_nth`](Self::open_nth).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_nth_blocking(n: usize) -> Result<Self, Error> {
        pollster::block_on(Self::open_nth(n))
    }

    /// The device's adapter, as wgpu describes it. [`description`](Self::description) has it in words.
    #[must_use]
    pub fn adapter(&self) -> wgpu::AdapterInfo {
        self.clamper().device().adapter_info()
    }

    /// The device's adapter in words: name, backend, kind and driver.
    #[must_use]
    pub fn description(&self) -> String {
        described(self.adapter())
    }
}
