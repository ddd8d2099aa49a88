//! The choice of the adapter.

use std::fmt::Display;

use crate::Error;

/// The variable with a part of the adapter's name, in upper or lower case.
const NAME: &str = "WGPU_ADAPTER_NAME";

/// The variable with the adapter's index.
const INDEX: &str = "WGPU_CLAMP_ADAPTER";

/// The adapter that the environment names, else wgpu's choice.
pub(super) async fn adapter() -> Result<wgpu::Adapter, Error> {
    if let Some(index) = variable(INDEX) {
        let n =
            index.parse().map_err(|_| refused(format!("{INDEX} is {index:?}, not an index such as 0")))?;
        return nth(n).await;
    }
    let (instance, backends) = instance()?;
    if variable(NAME).is_some() {
        return Ok(named(&instance, backends).await?.swap_remove(0));
    }
    instance
        .request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::from_env()
                .unwrap_or(wgpu::PowerPreference::HighPerformance),
            ..Default::default()
        })
        .await
        .map_err(|error| {
            // In browsers, wgpu's message lists backends that are not compiled in.
            refused(if cfg!(target_arch = "wasm32") {
                "the browser has no WebGPU, or no adapter for it".to_owned()
            } else {
                no_driver(&error, backends)
            })
        })
}

/// The `n`-th of the adapters that [`countable`] counts.
pub(super) async fn nth(n: usize) -> Result<wgpu::Adapter, Error> {
    let (instance, backends) = instance()?;
    let mut adapters = named(&instance, backends).await?;
    let infos: Vec<_> = adapters.iter().map(wgpu::Adapter::get_info).collect();
    let countable = countable(&infos);
    let Some(&index) = countable.get(n) else {
        let names: Vec<_> = countable.iter().map(|&index| &infos[index].name).collect();
        return Err(refused(format!("adapter {n}, counted from 0, is not among {names:?}")));
    };
    Ok(adapters.swap_remove(index))
}

fn refused(reason: String) -> Error {
    Error::NoDevice { reason }
}

fn no_driver(fault: &dyn Display, backends: wgpu::Backends) -> String {
    format!("{fault}; a driver for one of {backends:?} is needed (on Linux, Mesa's lavapipe needs no GPU)")
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn instance() -> Result<(wgpu::Instance, wgpu::Backends), Error> {
    // `Instance::new` panics without a backend.
    if wgpu::Instance::enabled_backend_features().is_empty() {
        return Err(refused(
            "no backend is compiled in; enable wgpu-clamp's feature `backends`, or one such as `vulkan`"
                .to_owned(),
        ));
    }
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    Ok((wgpu::Instance::new(descriptor), backends))
}

/// The adapters whose names fit the variable [`NAME`], at least one; all adapters if it is not set.
async fn named(instance: &wgpu::Instance, backends: wgpu::Backends) -> Result<Vec<wgpu::Adapter>, Error> {
    let mut adapters = instance.enumerate_adapters(backends).await;
    let names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    if names.is_empty() {
        return Err(refused(no_driver(&"there is none", backends)));
    }
    if let Some(name) = variable(NAME) {
        let wanted = name.to_lowercase();
        adapters.retain(|adapter| adapter.get_info().name.to_lowercase().contains(&wanted));
        if adapters.is_empty() {
            return Err(refused(format!("{NAME} is {name:?}, but the adapters are {names:?}")));
        }
    }
    Ok(adapters)
}

/// Positions in `infos` of the adapters that an index can select, in the order of the index: the GPUs of the best
/// adapter's backend, or without a GPU the software adapters of that backend.
fn countable(infos: &[wgpu::AdapterInfo]) -> Vec<usize> {
    let is_gpu = |info: &wgpu::AdapterInfo| info.device_type != wgpu::DeviceType::Cpu;
    let rank = |info: &wgpu::AdapterInfo| match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::VirtualGpu => 1,
        wgpu::DeviceType::IntegratedGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    let Some(best) = infos.iter().min_by_key(|info| rank(info)) else { return Vec::new() };
    let counts = |info: &wgpu::AdapterInfo| info.backend == best.backend && (is_gpu(info) || !is_gpu(best));
    let mut countable: Vec<_> = (0..infos.len()).filter(|&index| counts(&infos[index])).collect();
    // Within a kind, adapters without an id come last. They stay in wgpu's order, since the sort is stable.
    let id = |index: usize| &infos[index].device_pci_bus_id;
    countable.sort_by_key(|&index| (rank(&infos[index]), id(index).is_empty(), id(index)));
    // Two drivers may offer the same GPU.
    countable.dedup_by(|a, b| !id(*a).is_empty() && id(*a) == id(*b));
    countable
}

#[cfg(test)]
mod tests {
    use wgpu::{AdapterInfo, Backend, DeviceType};

    use super::*;

    fn info(name: &str, device_type: DeviceType, backend: Backend, pci: &str) -> AdapterInfo {
        let info = AdapterInfo::new(device_type, backend);
        AdapterInfo { name: name.to_owned(), device_pci_bus_id: pci.to_owned(), ..info }
    }

    fn names(infos: &[AdapterInfo]) -> Vec<&str> {
        countable(infos).into_iter().map(|index| infos[index].name.as_str()).collect()
    }

    #[test]
    fn each_gpu_counts_once_in_the_order_of_the_bus() {
        use {Backend::*, DeviceType::*};
        let infos = [
            info("iris", IntegratedGpu, Vulkan, "0000:00:02.0"),
            info("second", DiscreteGpu, Vulkan, "0000:81:00.0"),
            info("without an id", DiscreteGpu, Vulkan, ""),
            info("first", DiscreteGpu, Vulkan, "0000:41:00.0"),
            info("first, by another driver", DiscreteGpu, Vulkan, "0000:41:00.0"),
            info("llvmpipe", Cpu, Vulkan, ""),
            info("first, by GL", DiscreteGpu, Gl, ""),
        ];
        assert_eq!(names(&infos), ["first", "second", "without an id", "iris"]);
    }

    #[test]
    fn the_backend_is_that_of_the_best() {
        use {Backend::*, DeviceType::*};
        let infos = [info("llvmpipe", Cpu, Vulkan, ""), info("gpu", DiscreteGpu, Gl, "")];
        assert_eq!(names(&infos), ["gpu"]);
    }

    #[test]
    fn software_counts_where_there_is_no_gpu() {
        use {Backend::*, DeviceType::*};
        let infos = [
            info("llvmpipe", Cpu, Vulkan, ""),
            info("swiftshader", Cpu, Vulkan, ""),
            info("llvmpipe", Cpu, Gl, ""),
        ];
        assert_eq!(names(&infos), ["llvmpipe", "swiftshader"]);
        assert!(names(&[]).is_empty());
    }
}
