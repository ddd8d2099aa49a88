//! DXC, Microsoft's compiler for Direct3D 12, with the arguments that wgpu gives it.

use anyhow::Result;
use hassle_rs::{Dxc, DxcCompiler, DxcLibrary, Dxil};

use crate::each::each;
use crate::list::List;
use crate::options::Options;
use crate::outcome::{About, Absent, Run, without};

pub static DXC: About = About {
    name: "DXC, cs_6_0",
    takes: "HLSL for shader model 6.0, as wgpu gives it to Direct3D 12, with wgpu's arguments",
    proves: "that the compiler accepts the HLSL and makes DXIL of it",
    proves_not: "that a driver compiles the DXIL, that it computes what it should, or that FXC, the older compiler, which has no build for Linux, accepts the HLSL for shader model 5.1",
};

/// The arguments besides the entry point and the profile, as in wgpu-hal's `dx12/shader_compilation.rs`.
const ARGUMENTS: [&str; 4] = ["-HV", "2018", "-no-warnings", "-Ges"];

/// A compiler for one thread.
pub struct Compiler {
    compiler: DxcCompiler,
    library: DxcLibrary,
}

impl Compiler {
    pub fn new(dxc: &Dxc) -> Result<Self> {
        Ok(Self { compiler: dxc.create_compiler()?, library: dxc.create_library()? })
    }

    /// Compiles to DXIL, or, where `more` says so, to SPIR-V.
    pub fn compile(&self, hlsl: &str, entry_point: &str, more: &[&str]) -> Result<Vec<u8>, String> {
        let blob =
            self.library.create_blob_with_encoding_from_str(hlsl).map_err(|error| error.to_string())?;
        let arguments = [&ARGUMENTS, more].concat();
        let made = self.compiler.compile(&blob, "clamp.hlsl", entry_point, "cs_6_0", &arguments, None, &[]);
        match made {
            Ok(result) => Ok(result.get_result().map_err(|error| error.to_string())?.to_vec()),
            Err((result, code)) => {
                let message =
                    result.get_error_buffer().map(|blob| self.library.get_blob_as_string(&blob.into()));
                Err(message.ok().and_then(Result::ok).unwrap_or_else(|| format!("error {code}")))
            }
        }
    }
}

/// The library, and the version of its validator, which is the only version that it tells.
pub fn library(options: &Options) -> Result<(Dxc, String)> {
    let path = options.dxc.as_deref().ok_or(Absent("libdxcompiler.so is not there"))?;
    let (major, minor) = Dxil::new(Some(path.into()))?.create_validator()?.version()?;
    Ok((Dxc::new(Some(path.into()))?, format!("with validator {major}.{minor}")))
}

/// Asks DXC.
pub fn run(list: &List, options: &Options) -> Result<Run> {
    let (dxc, version) = library(options)?;
    let mut shaders = list.some(options);
    let count = shaders.len();
    shaders.retain(|shader| !shader.module.vulkan_only);
    let start = || Compiler::new(&dxc).map_err(|error| error.to_string());
    let refused = each("DXC", &shaders, start, |compiler, shader| {
        let compiler = compiler.as_ref().map_err(Clone::clone)?;
        let hlsl = std::fs::read_to_string(shader.file("hlsl")).map_err(|error| error.to_string())?;
        let dxil = compiler.compile(&hlsl, &shader.pipeline.entry_point, &[])?;
        dxil.starts_with(b"DXBC").then_some(()).ok_or("the result is no container of DXIL".to_owned())
    });
    let notes = without(count - shaders.len()).into_iter().collect();
    Ok(Run { version, asked: shaders.len(), refused, notes })
}
