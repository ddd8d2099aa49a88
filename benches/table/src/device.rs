//! The adapter that is measured, opened with all it has.

use anyhow::{Context, Result, ensure};
use wgpu_clamp::{Clamper, Host, wgpu};

/// A device, and how to get a time from it.
pub struct Device {
    /// What was opened.
    pub info: wgpu::AdapterInfo,
    /// The instance that it came from.
    pub instance: wgpu::Instance,
    /// The adapter that it came from.
    pub adapter: wgpu::Adapter,
    /// The library on it.
    pub host: Host,
}

/// Features that the operator may use where a device has them, and those that time it.
const WANTED: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::IMMEDIATES);

impl Device {
    /// Opens the adapter that wgpu's environment variables ask for, or the fastest. Nothing is validated.
    ///
    /// # Errors
    ///
    /// There is none, or it gives no device.
    pub fn open() -> Result<Self> {
        pollster::block_on(async {
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
            // Validation layers and debug names would be measured along.
            descriptor.flags = wgpu::InstanceFlags::empty();
            let backends = descriptor.backends;
            let instance = wgpu::Instance::new(descriptor);
            let adapter = pick(instance.enumerate_adapters(backends).await)?;
            let required_features = adapter.features() & wanted(&adapter);
            let (device, queue) = adapter
                .request_device(&wgpu::DeviceDescriptor {
                    label: Some("clamp-bench"),
                    required_features,
                    required_limits: adapter.limits(),
                    ..Default::default()
                })
                .await
                .context("the adapter gives no device")?;
            let host = Host::new(&Clamper::new(&device)?, &queue);
            Ok(Self { info: adapter.get_info(), instance, adapter, host })
        })
    }

    /// Of wgpu.
    #[must_use]
    pub fn wgpu(&self) -> &wgpu::Device {
        self.host.clamper().device()
    }

    /// Of wgpu.
    #[must_use]
    pub fn queue(&self) -> &wgpu::Queue {
        self.host.queue()
    }

    /// Whether the "GPU" is a program on the CPU.
    #[must_use]
    pub fn is_cpu(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Whether passes can be timed by the device.
    #[must_use]
    pub fn has_timestamps(&self) -> bool {
        self.wgpu()
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    }
}

/// On memory that host and device share, buffers that both reach are worth having; elsewhere they are slow.
fn wanted(adapter: &wgpu::Adapter) -> wgpu::Features {
    match adapter.get_info().device_type {
        wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu => {
            WANTED | wgpu::Features::MAPPABLE_PRIMARY_BUFFERS
        }
        _ => WANTED,
    }
}

/// A GPU before a CPU, a native API before GL; `WGPU_ADAPTER_NAME` narrows the choice.
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
