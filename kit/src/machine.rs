//! The facts that the report states about the machine, and no others: processor, memory, system, adapters.

use std::fs;
use std::process::Command;

/// A GPU or a software driver, through one API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// The driver's name for it.
    pub name: String,
    /// wgpu's name of the API.
    pub backend: String,
    /// wgpu's name of the device type.
    pub kind: String,
    /// The driver's name and version.
    pub driver: String,
}

impl Adapter {
    /// Reads the output of `doctor --list`.
    pub fn list(text: &str) -> Vec<Self> {
        let mut adapters: Vec<Self> = Vec::new();
        for line in text.lines() {
            if let Some(driver) = line.strip_prefix("  driver: ") {
                if let Some(adapter) = adapters.last_mut() {
                    driver.clone_into(&mut adapter.driver);
                }
            } else if let Some(adapter) = Self::of(line) {
                adapters.push(adapter);
            }
        }
        adapters
    }

    /// Reads a line such as `llvmpipe (LLVM 15.0.6, 256 bits) (Vulkan, Cpu)`.
    pub fn of(line: &str) -> Option<Self> {
        let (name, rest) = line.rsplit_once(" (")?;
        let (backend, kind) = rest.strip_suffix(')')?.split_once(", ")?;
        let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric());
        // Drivers print lines of their own.
        let is_backend = ["Vulkan", "Metal", "Dx12", "Gl"].contains(&backend);
        let is_adapter = !line.starts_with(' ') && is_backend && is_word(kind);
        is_adapter.then(|| Self {
            name: name.to_owned(),
            backend: backend.to_owned(),
            kind: kind.to_owned(),
            driver: String::new(),
        })
    }

    /// Splits adapters into the chosen ones, the likely fastest first, and the others. `wanted` chooses by name.
    /// Without it, software drivers are chosen only if there are no others.
    pub fn choose(all: Vec<Self>, wanted: Option<&str>) -> (Vec<Self>, Vec<Self>) {
        let software = all.iter().all(Self::is_software);
        let mut unlike: Vec<Self> = Vec::new();
        for adapter in all {
            // Programs choose an adapter by name and API, so adapters that agree in both run as one.
            if !unlike.iter().any(|other| (&other.name, &other.backend) == (&adapter.name, &adapter.backend))
            {
                unlike.push(adapter);
            }
        }
        let is_taken = |adapter: &Self| match wanted {
            Some(wanted) => adapter.title().to_lowercase().contains(wanted),
            None => software || !adapter.is_software(),
        };
        let (mut taken, left): (Vec<_>, Vec<_>) = unlike.into_iter().partition(is_taken);
        taken.sort_by_key(|adapter| (adapter.speed(), adapter.backend == "Gl"));
        (taken, left)
    }

    fn is_software(&self) -> bool {
        self.kind == "Cpu"
    }

    /// The class of its speed: 0 is the fastest.
    fn speed(&self) -> usize {
        let kinds = ["DiscreteGpu", "IntegratedGpu", "VirtualGpu", "Other"];
        kinds.iter().position(|kind| self.kind == *kind).unwrap_or(kinds.len())
    }

    /// Name, API and device type.
    pub fn title(&self) -> String {
        format!("{} ({}, {})", self.name, self.backend, self.kind)
    }
}

/// The backends that wgpu has here, as `WGPU_BACKEND` names them.
pub const BACKENDS: &[&str] = if cfg!(windows) {
    &["vulkan", "dx12", "gl"]
} else if cfg!(target_os = "macos") {
    &["metal"]
} else {
    &["vulkan", "gl"]
};

/// Processor, memory and system, as far as they are known.
pub fn facts() -> Vec<(&'static str, String)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (processor, system) = if cfg!(target_os = "linux") {
        let memory = field("/proc/meminfo", "MemTotal", ':');
        let kib = memory.and_then(|memory| memory.strip_suffix(" kB")?.parse::<u64>().ok());
        let memory = kib.map(|kib| format!(", {} GiB of memory", kib.div_ceil(1 << 20))).unwrap_or_default();
        let name = field("/etc/os-release", "PRETTY_NAME", '=').unwrap_or_else(|| "Linux".to_owned());
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let processor = field("/proc/cpuinfo", "model name", ':');
        let system = format!("{}, kernel {}", name.trim_matches('"'), kernel.trim());
        (processor.map(|processor| format!("{processor}{memory}")), Some(system))
    } else if cfg!(windows) {
        let key = r"HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0";
        let name = said(Command::new("reg").args(["query", key, "/v", "ProcessorNameString"]));
        let name = name.and_then(|text| Some(text.split_once("REG_SZ")?.1.trim().to_owned()));
        (name, said(Command::new("cmd").args(["/c", "ver"])))
    } else {
        let version = said(Command::new("sw_vers").arg("-productVersion"));
        let processor = said(Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]));
        (processor, version.map(|version| format!("macOS {version}")))
    };
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let system = system.unwrap_or_else(|| std::env::consts::OS.to_owned());
    vec![("processor", format!("{processor}, {threads} threads")), ("system", system)]
}

/// Whether this program was started with a signal ignored, as by `nohup`. Known on Linux only.
#[cfg(unix)]
pub fn ignores(signal: i32) -> bool {
    let ignored =
        field("/proc/self/status", "SigIgn", ':').and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// The value of the first line of a file whose key is `name`.
fn field(file: &str, name: &str, separator: char) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(separator));
    lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
}

/// A command's output, if the command succeeds.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
wgpu-clamp 0.1.0, wgpu 30, linux x86_64

llvmpipe (LLVM 15.0.6, 256 bits) (Vulkan, Cpu)
  driver: llvmpipe Mesa 22.3.6 (LLVM 15.0.6)
  limits: bindings of 128 MiB (at most)

AMD Radeon RX 6800 (RADV NAVI21) (Gl, DiscreteGpu)
  driver: radeonsi 25.0

AMD Radeon RX 6800 (RADV NAVI21) (Vulkan, DiscreteGpu)
  driver: radv Mesa 25.0

AMD Radeon Graphics (RADV RENOIR) (Vulkan, IntegratedGpu)
  driver: radv Mesa 25.0

AMD Radeon Graphics (RADV RENOIR) (Vulkan, IntegratedGpu)
  driver: radv Mesa 25.0

5 adapters
";

    #[test]
    fn every_adapter_of_the_list_is_read() {
        let adapters = Adapter::list(LIST);
        assert_eq!(adapters.len(), 5);
        assert_eq!(adapters[0].name, "llvmpipe (LLVM 15.0.6, 256 bits)");
        assert_eq!((adapters[0].backend.as_str(), adapters[0].kind.as_str()), ("Vulkan", "Cpu"));
        assert_eq!(adapters[1].driver, "radeonsi 25.0");
        assert_eq!(
            Adapter::list("no adapter with \"\" in its name for Backends(VULKAN): a driver is needed (x)"),
            []
        );
        let noise = "MESA: warning: no DRI3 (libGL, fallback)\nerror: no display (X, Wayland)\n";
        assert_eq!(Adapter::list(noise), []);
        assert_eq!(Adapter::list(&format!("{noise}{LIST}")).len(), 5);
    }

    #[test]
    fn backends_are_those_of_the_list() {
        for backend in ["Vulkan", "Metal", "Dx12", "Gl"] {
            assert!(Adapter::of(&format!("GPU ({backend}, Other)")).is_some(), "{backend}");
        }
    }

    #[test]
    fn hardware_is_taken_before_software_and_each_once() {
        let titles = |adapters: Vec<Adapter>| {
            adapters.iter().map(|adapter| format!("{} {}", adapter.backend, adapter.kind)).collect::<Vec<_>>()
        };
        let (taken, left) = Adapter::choose(Adapter::list(LIST), None);
        assert_eq!(titles(taken), ["Vulkan DiscreteGpu", "Gl DiscreteGpu", "Vulkan IntegratedGpu"]);
        assert_eq!(titles(left), ["Vulkan Cpu"]);
        let (taken, left) = Adapter::choose(Adapter::list(LIST), Some("llvmpipe"));
        assert_eq!((titles(taken), left.len()), (vec!["Vulkan Cpu".to_owned()], 3));
        let software = Adapter::list(LIST).into_iter().take(1).collect();
        assert_eq!(titles(Adapter::choose(software, None).0), ["Vulkan Cpu"]);
    }

    #[test]
    fn this_machine_says_something() {
        assert!(facts().iter().all(|(_, value)| !value.is_empty()), "{:?}", facts());
    }
}
