//! Compiles for AMD's GPUs with ACO, the compiler in Mesa's RADV, on a machine without such a GPU. This takes raw
//! Vulkan, since wgpu cannot open RADV without a GPU.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use ash::vk;

/// Bindings of a bind group: the uniform block, src, dst, and parameters. A layout may have more than an entry point uses.
const BINDINGS: u32 = 4;

/// The compiler's report on one pipeline.
pub struct Compiled {
    /// The figures, by the driver's names.
    pub statistics: BTreeMap<String, u64>,
    /// How long the driver took, in milliseconds.
    pub ms: f64,
}

/// The path of the file that describes Mesa's RADV to the Vulkan loader.
pub fn driver() -> Result<PathBuf> {
    let dirs = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];
    let files = dirs.into_iter().filter_map(|dir| Path::new(dir).read_dir().ok()).flatten();
    let mut found: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    found
        .retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("radeon_icd")));
    // There may be a file for each architecture. This machine's comes first.
    found.sort_by_key(|path| !path.to_string_lossy().contains(std::env::consts::ARCH));
    found.into_iter().next().with_context(|| {
        format!("Mesa's RADV is not in {}: Debian's package is mesa-vulkan-drivers", dirs.join(", "))
    })
}

/// A device of the family in `RADV_FORCE_FAMILY`. It compiles pipelines and cannot run them.
pub struct Compiler {
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    executables: ash::khr::pipeline_executable_properties::Device,
    /// The device's name and the driver's version.
    pub name: String,
}

impl Compiler {
    /// Opens the first device of the driver in `VK_ICD_FILENAMES` or `VK_DRIVER_FILES`.
    pub fn open() -> Result<Self> {
        // SAFETY: handles are made in order, each from the one before, with structures that outlive the calls.
        unsafe {
            let entry = ash::Entry::load().context("there is no Vulkan loader")?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let create = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&create, None).context("Vulkan gives no instance")?;
            let all = instance.enumerate_physical_devices()?;
            let physical =
                *all.first().context("no device: is RADV_FORCE_FAMILY a family that this Mesa knows?")?;
            let properties = instance.get_physical_device_properties(physical);
            let version = properties.driver_version;
            let name = format!(
                "{}, Mesa {}.{}.{}",
                properties.device_name_as_c_str()?.to_string_lossy(),
                vk::api_version_major(version),
                vk::api_version_minor(version),
                vk::api_version_patch(version)
            );
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let extensions = [ash::khr::pipeline_executable_properties::NAME, ash::ext::robustness2::NAME];
            let extensions = extensions.map(std::ffi::CStr::as_ptr);
            let features = vk::PhysicalDeviceFeatures::default()
                .shader_float64(true)
                .shader_int64(true)
                .robust_buffer_access(true);
            // wgpu enables this too.
            let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true);
            let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
                .pipeline_executable_info(true);
            let create = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&extensions)
                .enabled_features(&features)
                .push_next(&mut robust)
                .push_next(&mut executables);
            let device =
                instance.create_device(physical, &create, None).context("the driver gives no device")?;
            let executables = ash::khr::pipeline_executable_properties::Device::new(&instance, &device);
            Ok(Self { _entry: entry, instance, device, executables, name })
        }
    }

    /// Compiles an entry point.
    pub fn compile(&self, spirv: &[u32], entry_point: &str) -> Result<Compiled> {
        let name = CString::new(entry_point)?;
        let layout_bindings: Vec<_> = (0..BINDINGS)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_count(1)
                    .descriptor_type(match binding {
                        0 => vk::DescriptorType::UNIFORM_BUFFER,
                        _ => vk::DescriptorType::STORAGE_BUFFER,
                    })
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        // SAFETY: `spirv` is a module that naga has validated. Objects made here are destroyed here, in reverse order. If
        // one of the first three calls fails, the objects before it stay until the process ends.
        unsafe {
            let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&layout_bindings);
            let sets = [self.device.create_descriptor_set_layout(&create, None)?];
            let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
            let layout = self.device.create_pipeline_layout(&create, None)?;
            let create = vk::ShaderModuleCreateInfo::default().code(spirv);
            let module = self.device.create_shader_module(&create, None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&name);
            let create = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
                .stage(stage)
                .layout(layout);
            let start = Instant::now();
            let made = self.device.create_compute_pipelines(vk::PipelineCache::null(), &[create], None);
            let ms = start.elapsed().as_secs_f64() * 1e3;
            let statistics = match made {
                Ok(pipelines) => {
                    let statistics = self.statistics(pipelines[0]);
                    self.device.destroy_pipeline(pipelines[0], None);
                    statistics
                }
                Err((_, error)) => Err(error.into()),
            };
            self.device.destroy_shader_module(module, None);
            self.device.destroy_pipeline_layout(layout, None);
            self.device.destroy_descriptor_set_layout(sets[0], None);
            Ok(Compiled { statistics: statistics?, ms })
        }
    }

    fn statistics(&self, pipeline: vk::Pipeline) -> Result<BTreeMap<String, u64>> {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        // SAFETY: the pipeline is alive, and was made with CAPTURE_STATISTICS.
        let all = unsafe { self.executables.get_pipeline_executable_statistics(&info)? };
        let mut statistics = BTreeMap::new();
        for one in &all {
            ensure!(
                one.format == vk::PipelineExecutableStatisticFormatKHR::UINT64,
                "{:?} is no u64",
                one.name_as_c_str()?
            );
            // SAFETY: the format says that the value is a u64.
            let value = unsafe { one.value.u64 };
            statistics.insert(one.name_as_c_str()?.to_string_lossy().into_owned(), value);
        }
        ensure!(statistics.contains_key("Instructions"), "the driver counts no instructions: {statistics:?}");
        Ok(statistics)
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // SAFETY: nothing that was made from the device or the instance is used any more.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
