//! What an adapter is, and what of it the crate uses.

/// Name, backend, kind and driver.
pub(crate) fn in_words(info: wgpu::AdapterInfo) -> String {
    // Browsers hide the name.
    let name = if info.name.is_empty() { "unnamed adapter" } else { &info.name };
    let mut words = format!("{name} ({:?}, {:?}", info.backend, info.device_type);
    for part in [info.driver, info.driver_info] {
        if !part.is_empty() {
            words += ", ";
            words += &part;
        }
    }
    words + ")"
}

/// Whether the GPU works in the host's own memory, and the host reads there as fast as elsewhere: DX12 maps what the
/// host may write as write-combined.
pub(crate) fn shares_memory(info: &wgpu::AdapterInfo) -> bool {
    matches!(info.device_type, wgpu::DeviceType::IntegratedGpu | wgpu::DeviceType::Cpu)
        && info.backend != wgpu::Backend::Dx12
}

/// What F64 by hardware takes: f64 itself, and u64, which its bits pass through.
const F64_ARITHMETIC: wgpu::Features = wgpu::Features::SHADER_F64.union(wgpu::Features::SHADER_INT64);

/// What conversions of F16 in hardware take: f16 itself, and u16, which its bits pass through.
const F16_CONVERSION: wgpu::Features = wgpu::Features::SHADER_F16.union(wgpu::Features::SHADER_I16);

/// The optional features of an adapter or device with `features` that the shaders make use of: on Vulkan alone. Of the
/// other languages that WGSL is translated to, MSL and GLSL ES have no f64, and in HLSL naga writes bitcasts of it, and
/// of f16, as those of f32.
pub(crate) fn shader_features(info: &wgpu::AdapterInfo, features: wgpu::Features) -> wgpu::Features {
    let both = [F64_ARITHMETIC, F16_CONVERSION].into_iter().filter(|&all| features.contains(all));
    let wanted = both.fold(wgpu::Features::empty(), wgpu::Features::union);
    if info.backend == wgpu::Backend::Vulkan { wanted } else { wgpu::Features::empty() }
}

/// Those of [`shader_features`] that make an adapter faster: software converts F16 slower than the shaders do (lavapipe,
/// 0.59 of a copy for 0.82).
pub(crate) fn worthwhile_features(info: &wgpu::AdapterInfo, offered: wgpu::Features) -> wgpu::Features {
    let all = shader_features(info, offered);
    if info.device_type == wgpu::DeviceType::Cpu { all - F16_CONVERSION } else { all }
}

/// Whether a device with such [`shader_features`] computes F64 in hardware.
pub(crate) fn has_f64_arithmetic(shader_features: wgpu::Features) -> bool {
    shader_features.contains(F64_ARITHMETIC)
}

/// Whether a device with such [`shader_features`] converts F16 in hardware.
pub(crate) fn has_f16_conversion(shader_features: wgpu::Features) -> bool {
    shader_features.contains(F16_CONVERSION)
}
