//! The measured adapter, opened with all of its limits and the features of interest.

use std::cell::RefCell;

use anyhow::{Context, Result};
use wgpu_clamp::{Clamper, DType, Host, wgpu};

/// An open device with its queue.
pub struct Device {
    /// The adapter's description.
    pub info: wgpu::AdapterInfo,
    /// The library's host on this device and its queue.
    pub host: Host,
    /// Blocks that buffers are filled from, see [`random_buffer`](crate::data::random_buffer).
    pub(crate) blocks: RefCell<Vec<(DType, wgpu::Buffer)>>,
}

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
            let mut wanted = wgpu::Features::TIMESTAMP_QUERY | Clamper::optional_features(&adapter);
            // Where host and device share memory, buffers that the host can map serve as storage. Elsewhere such
            // storage is slow.
            if matches!(info.device_type, wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu) {
                wanted |= wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
            }
            let descriptor = wgpu::DeviceDescriptor {
                required_features: adapter.features() & wanted,
                required_limits: adapter.limits(),
                ..Default::default()
            };
            let opened = adapter.request_device(&descriptor).await;
            let (device, queue) = opened.context("the adapter gives no device")?;
            Ok(Self { info, host: host(&device, &queue).await?, blocks: RefCell::default() })
        })
    }

    /// A host on this device that has compiled nothing.
    pub fn fresh(&self) -> Result<Host> {
        pollster::block_on(host(self.wgpu(), self.queue()))
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

async fn host(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Host> {
    let clamper = Clamper::new(device)?;
    let found = Host::new(&clamper, queue).check_f16().await?;
    Ok(Host::new(&clamper.with_f16_conversions(found), queue))
}
