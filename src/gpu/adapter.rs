//! What an adapter is, and what of it the crate uses.

/// Name, backend, kind and driver.
pub(crate) fn described(info: wgpu::AdapterInfo) -> String {
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

/// Whether an adapter or device with `features` computes F64 in hardware: on Vulkan alone. Of the other languages that
/// WGSL is translated to, MSL and GLSL ES have no f64, and in HLSL naga writes bitcasts of it as those of f32.
pub(crate) fn has_f64_arithmetic(info: &wgpu::AdapterInfo, features: wgpu::Features) -> bool {
    info.backend == wgpu::Backend::Vulkan && features.contains(F64_ARITHMETIC)
}

/// The optional features of an adapter with `offered` that the shaders make use of.
pub(crate) fn shader_features(info: &wgpu::AdapterInfo, offered: wgpu::Features) -> wgpu::Features {
    if has_f64_arithmetic(info, offered) { F64_ARITHMETIC } else { wgpu::Features::empty() }
}
