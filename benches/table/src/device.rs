//! The measured adapter, opened with all of its limits and the features of interest.

use std::cell::RefCell;

use anyhow::{Context, Result, ensure};
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

/// Features that the library uses if a device has them, and the features for timing.
const WANTED: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::IMMEDIATES);

impl Device {
    /// Opens the adapter that wgpu's environment variables ask for, or the fastest. Turns validation layers off.
    pub fn open() -> Result<Self> {
        pollster::block_on(async {
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
            // Validation layers and debug names would slow down what is measured.
            descriptor.flags = wgpu::InstanceFlags::empty();
            let backends = descriptor.backends;
            let instance = wgpu::Instance::new(descriptor);
            let adapter = pick(instance.enumerate_adapters(backends).await)?;
            let info = adapter.get_info();
            // Where host and device share memory, buffers that the host can map serve as storage. Elsewhere such
            // storage is slow.
            let shared = matches!(info.device_type, wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu);
            let mapped =
                if shared { wgpu::Features::MAPPABLE_PRIMARY_BUFFERS } else { wgpu::Features::empty() };
            let (device, queue) = adapter
                .request_device(&wgpu::DeviceDescriptor {
                    label: Some("clamp-bench"),
                    required_features: adapter.features() & (WANTED | mapped),
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

    /// Whether the device can time passes.
    pub fn has_timestamps(&self) -> bool {
        self.wgpu()
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    }

    /// Waits until the device has finished all submitted work.
    pub fn wait(&self) -> Result<()> {
        self.wgpu().poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }
}

/// Prefers a GPU to a CPU and a native API to GL; `WGPU_ADAPTER_NAME` narrows the choice.
fn pick(adapters: Vec<wgpu::Adapter>) -> Result<wgpu::Adapter> {
    let wanted = std::env::var("WGPU_ADAPTER_NAME").unwrap_or_default().to_lowercase();
    let names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    ensure!(!names.is_empty(), "no adapter; on Linux, `cargo xtask drivers` installs a software one");
    let rank = |adapter: &wgpu::Adapter| {
        let info = adapter.get_info();
        let kind = match info.device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4,
        };
        (kind, info.backend == wgpu::Backend::Gl)
    };
    adapters
        .into_iter()
        .filter(|adapter| adapter.get_info().name.to_lowercase().contains(&wanted))
        .min_by_key(rank)
        .with_context(|| format!("no adapter is called {wanted:?}; there are {names:?}"))
}
