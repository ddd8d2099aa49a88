//! The measured adapter, opened with all of its limits and the features of interest.

use std::cell::RefCell;

use anyhow::{Context, Result};
use wgpu_clamp::{Clamper, Host, wgpu};

use crate::data::Content;

/// An open device with its queue, and the adapter and instance that it came from.
pub struct Device {
    /// The adapter's description.
    pub info: wgpu::AdapterInfo,
    /// The instance that the adapter came from.
    pub instance: wgpu::Instance,
    /// The adapter that the device came from.
    pub adapter: wgpu::Adapter,
    /// The library's host on this device and its queue.
    pub host: Host,
    /// Blocks that buffers are filled from, see [`Content::buffer`].
    pub(crate) blocks: RefCell<Vec<(Content, wgpu::Buffer)>>,
}

/// Features that timing by the device takes.
pub(crate) const TIMESTAMPS: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

impl Device {
    /// Opens the adapter that wgpu's environment variables ask for, or the fastest. Turns validation layers off.
    pub fn open() -> Result<Self> {
        pollster::block_on(async {
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
            // Validation layers and debug names would slow down what is measured.
            descriptor.flags = wgpu::InstanceFlags::empty();
            let instance = wgpu::Instance::new(descriptor);
            let adapter = if std::env::var_os("WGPU_ADAPTER_NAME").is_some() {
                wgpu::util::initialize_adapter_from_env(&instance, None).await?
            } else {
                let power_preference = wgpu::PowerPreference::HighPerformance;
                let options = wgpu::RequestAdapterOptions { power_preference, ..Default::default() };
                let none = "no adapter; on Linux, `cargo xtask drivers` installs a software one";
                instance.request_adapter(&options).await.context(none)?
            };
            let info = adapter.get_info();
            // Where host and device share memory, buffers that the host can map serve as storage. Elsewhere such
            // storage is slow.
            let shared = matches!(info.device_type, wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu);
            let mapped =
                if shared { wgpu::Features::MAPPABLE_PRIMARY_BUFFERS } else { wgpu::Features::empty() };
            let wanted = TIMESTAMPS | mapped | Clamper::optional_features(&adapter);
            let (device, queue) = adapter
                .request_device(&wgpu::DeviceDescriptor {
                    label: Some("clamp-bench"),
                    required_features: adapter.features() & wanted,
                    required_limits: adapter.limits(),
                    ..Default::default()
                })
                .await
                .context("the adapter gives no device")?;
            let host = Host::new(&Clamper::new(&device)?, &queue);
            host.check_f16().await?;
            Ok(Self { info, instance, adapter, host, blocks: RefCell::default() })
        })
    }

    /// The wgpu device.
    pub fn wgpu(&self) -> &wgpu::Device {
        self.host.clamper().device()
    }

    /// The wgpu queue.
    pub fn queue(&self) -> &wgpu::Queue {
        self.host.queue()
    }

    /// Whether the adapter is a software driver on the CPU.
    pub fn is_cpu(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Waits until the device has finished all submitted work.
    pub fn wait(&self) -> Result<()> {
        self.wgpu().poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }
}
