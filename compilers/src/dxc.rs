//! Microsoft's compiler for Direct3D 12, as wgpu calls it.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use hassle_rs::{Dxc, DxcCompiler, DxcLibrary, Dxil};

use crate::each::each;
use crate::list::{List, without_vulkan_only};
use crate::options::Options;
use crate::outcome::{About, Absent, Outcome, Run, without};

static DXC: About = About {
    name: "DXC",
    takes: "HLSL for shader model 6.0, as wgpu gives it to Direct3D 12, with wgpu's arguments",
    proves: "that the compiler accepts the HLSL and makes DXIL of it",
    proves_not: "that a driver compiles the DXIL, that it computes what it should, or that FXC, the older compiler, which has no build for Linux, accepts the HLSL for shader model 5.1",
};

/// Beside the entry point and the profile. wgpu-hal's `dx12/shader_compilation.rs` has the same.
const ARGUMENTS: [&str; 4] = ["-HV", "2018", "-no-warnings", "-Ges"];

/// One thread's compiler.
pub struct Compiler {
    compiler: DxcCompiler,
    library: DxcLibrary,
}

impl Compiler {
    /// From the library.
    ///
    /// # Errors
    ///
    /// It is another library, or too old.
    pub fn new(dxc: &Dxc) -> Result<Self> {
        Ok(Self { compiler: dxc.create_compiler()?, library: dxc.create_library()? })
    }

    /// Compiles to DXIL, or, where `more` says so, to SPIR-V.
    ///
    /// # Errors
    ///
    /// What the compiler says.
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

/// The version of the validator that it holds, since it tells no other.
pub fn version(library: &Path) -> Result<String> {
    let (major, minor) = Dxil::new(Some(library.into()))?.create_validator()?.version()?;
    Ok(format!("with validator {major}.{minor}"))
}

/// Asks DXC.
pub fn run(list: &List, options: &Options) -> Outcome {
    let started = Instant::now();
    let all = list.some(options);
    let count = all.len();
    let shaders = without_vulkan_only(all);
    let dxc = options
        .dxc
        .as_deref()
        .ok_or_else(|| Absent("libdxcompiler.so is not there").into())
        .and_then(|path| Ok((Dxc::new(Some(path.into()))?, version(path)?)));
    let run = dxc.map(|(dxc, version)| {
        let start = || Compiler::new(&dxc).map_err(|error| error.to_string());
        let refused = each("DXC", &shaders, start, |compiler, shader| {
            let compiler = compiler.as_ref().map_err(Clone::clone)?;
            let hlsl = std::fs::read_to_string(shader.file("hlsl")).map_err(|error| error.to_string())?;
            let dxil = compiler.compile(&hlsl, &shader.pipeline().entry_point, &[])?;
            if dxil.starts_with(b"DXBC") {
                Ok(())
            } else {
                Err("the result is no container of DXIL".to_owned())
            }
        });
        Run {
            version,
            asked: shaders.len(),
            refused,
            notes: without(count - shaders.len()).into_iter().collect(),
            seconds: started.elapsed().as_secs_f64(),
        }
    });
    Outcome { about: &DXC, target: ", cs_6_0".to_owned(), run }
}
