//! A Vulkan instance for wgpu that replaces naga's SPIR-V on its way to the driver. wgpu makes bind groups, uniform
//! blocks and dispatches as always.

use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_char};
use std::mem::transmute;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use anyhow::{Context, Result};
use ash::vk;
use wgpu_clamp::wgpu::{self, hal};

/// The replacements of SPIR-V.
#[derive(Default)]
pub struct Swaps {
    /// The SPIR-V that replaces naga's, by naga's.
    pub others: HashMap<Vec<u32>, Vec<u32>>,
    /// naga's SPIR-V that has been replaced.
    pub swapped: HashSet<Vec<u32>>,
    /// The number of modules that had no replacement.
    pub kept: usize,
}

static SWAPS: OnceLock<Mutex<Swaps>> = OnceLock::new();
static INSTANCE_ADDRESS: OnceLock<vk::PFN_vkGetInstanceProcAddr> = OnceLock::new();
static DEVICE_ADDRESS: OnceLock<vk::PFN_vkGetDeviceProcAddr> = OnceLock::new();
static CREATE: OnceLock<vk::PFN_vkCreateShaderModule> = OnceLock::new();

/// The replacements in this process.
pub fn swaps() -> MutexGuard<'static, Swaps> {
    SWAPS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// An instance whose devices replace the SPIR-V of modules.
pub fn instance() -> Result<wgpu::Instance> {
    // SAFETY: each function below has the type of the Vulkan function that it replaces, and calls the loader's. The
    // loader is never unloaded: `leak` keeps the entry that holds it, and wgpu's instance keeps the other entry.
    unsafe {
        let loader: &ash::Entry = Box::leak(Box::new(ash::Entry::load().context("no Vulkan loader")?));
        INSTANCE_ADDRESS.get_or_init(|| loader.static_fn().get_instance_proc_addr);
        let entry = ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: instance_address });
        let flags = wgpu::InstanceFlags::empty();
        let version = vk::API_VERSION_1_3;
        let extensions = hal::vulkan::Instance::desired_extensions(&entry, version, flags)?;
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let application = vk::ApplicationInfo::default().api_version(version);
        let create =
            vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&names);
        let raw = entry.create_instance(&create, None).context("Vulkan gives no instance")?;
        let thresholds = wgpu::MemoryBudgetThresholds::default();
        let instance = hal::vulkan::Instance::from_raw(
            entry, raw, version, 0, None, extensions, flags, thresholds, false, None,
        )?;
        Ok(wgpu::Instance::from_hal::<hal::api::Vulkan>(instance))
    }
}

unsafe extern "system" fn instance_address(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the arguments are the caller's; a function that Vulkan gives for a name has the type of that name.
    unsafe {
        let real = INSTANCE_ADDRESS.get()?(instance, name)?;
        if CStr::from_ptr(name) != c"vkGetDeviceProcAddr" {
            return Some(real);
        }
        DEVICE_ADDRESS
            .get_or_init(|| transmute::<unsafe extern "system" fn(), vk::PFN_vkGetDeviceProcAddr>(real));
        Some(transmute::<vk::PFN_vkGetDeviceProcAddr, unsafe extern "system" fn()>(device_address))
    }
}

unsafe extern "system" fn device_address(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe {
        let real = DEVICE_ADDRESS.get()?(device, name)?;
        if CStr::from_ptr(name) != c"vkCreateShaderModule" {
            return Some(real);
        }
        CREATE.get_or_init(|| transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateShaderModule>(real));
        Some(transmute::<vk::PFN_vkCreateShaderModule, unsafe extern "system" fn()>(create_shader_module))
    }
}

unsafe extern "system" fn create_shader_module(
    device: vk::Device,
    create: *const vk::ShaderModuleCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    module: *mut vk::ShaderModule,
) -> vk::Result {
    let Some(real) = CREATE.get() else { return vk::Result::ERROR_UNKNOWN };
    // SAFETY: Vulkan requires the caller's pointers to be valid; the replacement's words outlive the call.
    unsafe {
        let mut create = *create;
        let words = std::slice::from_raw_parts(create.p_code, create.code_size / 4);
        let mut swaps = swaps();
        let other = swaps.others.get(words).cloned();
        if let Some(other) = &other {
            create.p_code = other.as_ptr();
            create.code_size = size_of_val(other.as_slice());
            swaps.swapped.insert(words.to_vec());
        } else {
            swaps.kept += 1;
        }
        real(device, &raw const create, allocator, module)
    }
}
