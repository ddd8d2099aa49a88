//! Finds what Vulkan and GL need on Linux, and installs what is missing.

use anyhow::{Result, bail};

use crate::machine::Machine;

/// A way to a GPU adapter on Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// wgpu's `Backends::VULKAN`.
    Vulkan,
    /// wgpu's `Backends::GL`: GLES through EGL.
    Gl,
    /// Vulkan, with Khronos' validation layer in between.
    ValidatedVulkan,
}

impl Api {
    /// The parts without which no adapter exists.
    pub fn parts(self) -> &'static [Part] {
        match self {
            Self::Vulkan => &[Part::VulkanLoader, Part::VulkanDriver],
            Self::Gl => &[Part::EglLoader, Part::EglVendor, Part::Gles, Part::GlDriver],
            Self::ValidatedVulkan => &[Part::VulkanLoader, Part::VulkanDriver, Part::ValidationLayer],
        }
    }
}

/// A part of a driver stack, each in its own package on some distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `libvulkan.so.1`.
    VulkanLoader,
    /// A driver that the loader finds through its manifest; any driver will do.
    VulkanDriver,
    /// `VK_LAYER_KHRONOS_validation`, which the loader finds through its manifest.
    ValidationLayer,
    /// `libEGL.so.1`.
    EglLoader,
    /// A driver that libglvnd's EGL finds through its manifest; any driver will do.
    EglVendor,
    /// `libGLESv2.so.2`.
    Gles,
    /// What Mesa's EGL needs to draw anything; other vendors bring their own.
    GlDriver,
}

impl Part {
    /// The printed name.
    pub fn name(self) -> &'static str {
        match self {
            Self::VulkanLoader => "Vulkan loader",
            Self::VulkanDriver => "Vulkan driver",
            Self::ValidationLayer => "Vulkan layer",
            Self::EglLoader => "EGL loader",
            Self::EglVendor => "EGL driver",
            Self::Gles => "GLES library",
            Self::GlDriver => "GL driver",
        }
    }
}

/// Variables that replace the loaders' search for manifests. A wrong value hides every driver, and no package helps.
const OVERRIDES: [&str; 5] = [
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_LAYER_PATH",
    "__EGL_VENDOR_LIBRARY_FILENAMES",
    "__EGL_VENDOR_LIBRARY_DIRS",
];

/// Installs Mesa's software drivers, and the validation layer, where parts of `apis` are missing.
///
/// # Errors
///
/// Something is missing and cannot be installed; the error says what to type.
pub fn ensure(apis: &[Api]) -> Result<()> {
    match std::env::consts::OS {
        "linux" => {}
        "windows" => {
            println!("Windows brings DirectX 12 (WARP where there is no GPU): nothing to install");
            return Ok(());
        }
        "macos" => {
            println!("macOS brings Metal: nothing to install");
            return Ok(());
        }
        other => {
            println!("drivers are not checked on {other}");
            return Ok(());
        }
    }
    let machine = Machine::this();
    machine.print(apis);
    let missing = machine.missing(apis);
    if missing.is_empty() {
        return Ok(());
    }
    let names = |parts: &[Part]| parts.iter().map(|part| part.name()).collect::<Vec<_>>().join(", ");
    let Some(manager) = machine.manager() else {
        bail!(
            "missing: {}.\nWhat packages bring them on this distribution is not known here. Look for Mesa's Vulkan \
             drivers (lavapipe) and the Vulkan loader, Mesa's EGL, GLES and DRI drivers (llvmpipe) and libglvnd.",
            names(&missing)
        );
    };
    let packages = manager.packages(&missing);
    manager.install(&packages, machine.root())?;

    let machine = Machine::this();
    machine.print(apis);
    let missing = machine.missing(apis);
    if !missing.is_empty() {
        let set: Vec<_> = OVERRIDES.into_iter().filter(|name| machine.variable(name).is_some()).collect();
        let hint = if set.is_empty() {
            String::new()
        } else {
            format!(" ({} set in the environment: unset it?)", set.join(" and "))
        };
        bail!("installed {}, but still missing: {}{hint}", packages.join(", "), names(&missing));
    }
    Ok(())
}
