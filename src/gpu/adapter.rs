//! The parts of an adapter that the crate uses: its name, its kind and its features.

/// The adapter's name, backend, kind and driver in words.
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

/// Whether the GPU works in the host's memory and the host reads it at full speed. DX12 maps writable memory as
/// write-combined, which is slow to read.
pub(crate) fn shares_memory(info: &wgpu::AdapterInfo) -> bool {
    matches!(info.device_type, wgpu::DeviceType::IntegratedGpu | wgpu::DeviceType::Cpu)
        && info.backend != wgpu::Backend::Dx12
}

/// Whether a CPU runs the shaders. wgpu's GL backend guesses the kind of device from its name, so a GL device counts as
/// a GPU here. The tests on Mesa's llvmpipe thus run the pieces for GPUs.
pub(crate) fn is_cpu(info: &wgpu::AdapterInfo) -> bool {
    info.device_type == wgpu::DeviceType::Cpu && info.backend != wgpu::Backend::Gl
}

/// The features of F64 in hardware: f64, and u64 for its bits.
const F64_ARITHMETIC: wgpu::Features = wgpu::Features::SHADER_F64.union(wgpu::Features::SHADER_INT64);

/// Whether an adapter or device with `features` computes F64 in hardware. Only Vulkan does: MSL and GLSL ES have no
/// f64, and naga writes bitcasts of f64 to HLSL as bitcasts of f32.
pub(crate) fn has_f64_arithmetic(info: &wgpu::AdapterInfo, features: wgpu::Features) -> bool {
    info.backend == wgpu::Backend::Vulkan && features.contains(F64_ARITHMETIC)
}

/// The optional features that the shaders use, among those `offered` by the adapter.
pub(crate) fn shader_features(info: &wgpu::AdapterInfo, offered: wgpu::Features) -> wgpu::Features {
    if has_f64_arithmetic(info, offered) { F64_ARITHMETIC } else { wgpu::Features::empty() }
}
