//! The command line.

use std::ffi::OsString;

use anyhow::{Context, Result, bail, ensure};

use crate::{mutants, proof};

use crate::fuzz::{self, TARGETS};

/// What `cargo xtask help` prints.
pub const USAGE: &str = "\
The commands of wgpu-clamp

    cargo xtask demo [--out DIR] [ARGS...]
        Runs the example `levels`, optimised, on real pictures. Everything after `demo` goes to the
        example; `cargo xtask demo -- --help` shows its own options.

    cargo xtask test [--exhaustive] [-- ARGS...]
        All that a change has to pass: formatting, lints, documentation, tests. Stops at the first
        failure. ARGS go to `cargo test`, so `cargo xtask test -- --test gpu` runs one test program.
        --exhaustive also runs the tests that take minutes (it sets WGPU_CLAMP_EXHAUSTIVE=1).

    cargo xtask test --browser [-- ARGS...]
        The library's tests on WebGPU in headless Chromium, then those of the page of `web`. ARGS go to
        `cargo test`, so `cargo xtask test --browser -- -- layouts` runs the tests of that name. Needs
        Node.js 20; installs Chromium where it is missing, and the rest into target/web.

    cargo xtask validate [-- ARGS...]
        Runs the GPU tests on Vulkan under Khronos' validation layer, synchronization validation included,
        and fails where the layer reports an error or a warning. Installs the layer where it is missing.
        ARGS go to the test programs: `-- slots` runs those tests alone. Linux only.

    cargo xtask deny [--offline]
        Holds the dependencies to deny.toml: licences, doubles, sources, and security advisories unless
        --offline. Installs cargo-deny below target/ where it is missing (minutes).

    cargo xtask bench [--peers] [ARGS...]
        Measures the crate on one device and prints a table: ours beside a copy of the same bytes, and
        what should be reached. --peers builds burn, ndarray and others as well (minutes) and puts
        them into the same table. ARGS go to the program; `cargo xtask bench -- --help` shows them:
        --quick, --only TEXT, --json FILE, --plot FILE.svg, --growth and more.

    cargo xtask shaders [ARGS...]
        Writes every module in WGSL, SPIR-V, GLSL, HLSL and MSL into target/shaders, and runs the compilers
        that are there: spirv-val, glslangValidator, Tint, AMD's ACO, Microsoft's DXC. Installs what it can
        of them; fails where one refuses something. `cargo xtask shaders -- --help` shows its options: --all,
        --every N, --only NAME and more. Linux only; minutes, with --all hours.

    cargo xtask shaders --budget [ARGS...]
        Puts every kernel that a row of the benchmark runs through AMD's compiler, which needs no GPU:
        instructions per element and per byte, registers, and the ratio to a copy that is to be expected
        of five GPUs. Fails where the figures are not those of benches/budget/figures.tsv; --write keeps
        the new ones. `cargo xtask shaders --budget -- --help` shows the other options. Linux only.

    cargo xtask proof [--only NAME] [--write] [-- ARGS...]
        Holds every specialization to the CPU reference on every implementation that can be had here, installing
        what is missing where it can, and prints a matrix: elements compared, and those that differ. --only: those
        whose name contains NAME. --write puts the matrix into docs/PORTABILITY.md, with what ran before. ARGS go to
        each run: `-- --cases 0..20` takes a few cases. About half an hour.

    cargo xtask mutants [--count N] [--first K] [--only TEXT]
        Changes the shaders, one small fault at a time, in a copy of the repository, and runs the self-test until it
        notices; prints what it does not notice. N of all changes (100 if not given), evenly spread from the K-th on,
        of fragments whose path contains TEXT. Half a minute each, five where nothing is noticed.

    cargo xtask fuzz [TARGET] [--minutes N]
        Runs each fuzz target, or TARGET alone (plan, standards, npy, onnx), for N minutes (10), and fails where
        an input makes one panic, allocate too much or take too long. Installs cargo-fuzz below target/ if it is
        not there, and needs a C++ compiler. Linux and macOS.

    cargo xtask drivers
        Shows what this machine has of Vulkan and GL, and installs what is missing.

    cargo xtask web
        Builds the page `examples/web`, a picture clamped live on WebGPU, and serves it on this machine.

    cargo xtask help
        Shows this text.

What runs on a GPU, on a Linux machine that has no driver, installs Mesa's software drivers through the
machine's package manager. That needs root or a sudo that asks nothing; without either they print the
command to run. A driver that is already there is left alone. Windows and macOS need nothing.
";

/// The names [`parse`] knows, for its error message.
const COMMANDS: &str = "demo, test, validate, bench, shaders, proof, mutants, fuzz, deny, web, drivers, help";

/// One command with its options.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Print [`USAGE`].
    Help,
    /// Check and install the drivers, nothing else.
    Drivers,
    /// Run the example.
    Demo {
        /// Passed on to the example.
        args: Vec<OsString>,
    },
    /// Measure.
    Bench {
        /// Beside other libraries as well.
        peers: bool,
        /// Passed on to the program.
        args: Vec<OsString>,
    },
    /// Run the compilers of others.
    Shaders {
        /// Passed on to the program.
        args: Vec<OsString>,
    },
    /// Count instructions.
    Budget {
        /// Passed on to the program.
        args: Vec<OsString>,
    },
    /// Every implementation.
    Proof(proof::Options),
    /// Faults in the shaders.
    Mutants(mutants::Options),
    /// Look for inputs that break something.
    Fuzz {
        /// One of [`TARGETS`], by its name; all of them if none is named.
        target: Option<String>,
        /// How long each runs.
        minutes: u32,
    },
    /// Run all checks.
    Test {
        /// Include the tests that take minutes.
        exhaustive: bool,
        /// Passed on to `cargo test`.
        args: Vec<OsString>,
    },
    /// Run the checks that take a browser.
    TestBrowser {
        /// Passed on to `cargo test`.
        args: Vec<OsString>,
    },
    /// Serve the page.
    Web,
    /// Check the dependencies.
    Deny {
        /// Without the network.
        offline: bool,
    },
    /// Run the GPU tests under a validation layer.
    Validate {
        /// Passed on to the test programs.
        args: Vec<OsString>,
    },
}

/// Reads the arguments that follow `cargo xtask`.
///
/// # Errors
///
/// An unknown command, or an option that the command does not have.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Task> {
    let mut own: Vec<OsString> = args.into_iter().collect();
    // Whatever follows `--` is someone else's, `--help` included.
    let dashes = own.iter().position(|arg| arg == "--");
    let rest = dashes.map_or_else(Vec::new, |at| own.split_off(at).split_off(1));

    if own.iter().any(|arg| arg == "--help" || arg == "-h") {
        return Ok(Task::Help);
    }
    let Some((command, options)) = own.split_first() else {
        return Ok(Task::Help);
    };
    match command.to_str() {
        Some("help") => Ok(Task::Help),
        Some("drivers") => {
            if let Some(arg) = options.iter().chain(&rest).next() {
                bail!("`drivers` takes no arguments, but got `{}`", arg.display());
            }
            Ok(Task::Drivers)
        }
        Some("demo") => Ok(Task::Demo { args: [options, &rest].concat() }),
        Some("bench") => {
            let (peers, own): (Vec<_>, Vec<_>) = options.iter().cloned().partition(|arg| *arg == "--peers");
            Ok(Task::Bench { peers: !peers.is_empty(), args: [own, rest].concat() })
        }
        Some("shaders") => match options.split_first() {
            Some((first, options)) if first == "--budget" => {
                Ok(Task::Budget { args: [options, &rest].concat() })
            }
            _ => Ok(Task::Shaders { args: [options, &rest].concat() }),
        },
        Some("proof") => {
            let mut asked = proof::Options { args: rest, ..Default::default() };
            let mut options = options.iter();
            while let Some(option) = options.next() {
                match option.to_str() {
                    Some("--write") => asked.write = true,
                    Some("--only") => {
                        let name = options.next().context("`--only` needs a NAME")?;
                        asked.only = Some(name.to_string_lossy().into_owned());
                    }
                    _ => bail!("`proof` has no argument `{}`", option.display()),
                }
            }
            Ok(Task::Proof(asked))
        }
        Some("mutants") => {
            let mut asked = mutants::Options::default();
            let mut options = options.iter().chain(&rest);
            while let Some(option) = options.next() {
                let mut value = || {
                    let value = options.next().and_then(|value| value.to_str());
                    value.with_context(|| format!("`{}` needs a value", option.display()))
                };
                match option.to_str() {
                    Some("--count") => asked.count = number(value()?)?,
                    Some("--first") => asked.first = number(value()?)?,
                    Some("--only") => value()?.clone_into(&mut asked.only),
                    _ => bail!("`mutants` has no argument `{}`", option.display()),
                }
            }
            Ok(Task::Mutants(asked))
        }
        Some("web") => {
            if let Some(arg) = options.iter().chain(&rest).next() {
                bail!("`web` takes no arguments, but got `{}`", arg.display());
            }
            Ok(Task::Web)
        }
        Some("test") if options == ["--browser"] => Ok(Task::TestBrowser { args: rest }),
        Some("fuzz") => fuzz_task([options, &rest].concat()),
        Some("test") => {
            if let Some(arg) = options.iter().find(|arg| *arg != "--exhaustive") {
                ensure!(arg != "--browser", "`test --browser` has no other options but those after `--`");
                bail!(
                    "`test` has no argument `{0}`; to hand it to `cargo test`, write `test -- {0}`",
                    arg.display()
                );
            }
            Ok(Task::Test { exhaustive: !options.is_empty(), args: rest })
        }
        Some("deny") => match options {
            [] => Ok(Task::Deny { offline: false }),
            [option] if option == "--offline" => Ok(Task::Deny { offline: true }),
            _ => bail!("`deny` takes `--offline` or nothing"),
        },
        Some("validate") => {
            if let Some(arg) = options.first() {
                bail!(
                    "`validate` has no argument `{0}`; to hand it to the tests, write `validate -- {0}`",
                    arg.display()
                );
            }
            Ok(Task::Validate { args: rest })
        }
        _ => bail!("there is no command `{}`; the commands are: {COMMANDS}", command.display()),
    }
}

fn number(text: &str) -> Result<usize> {
    text.parse().with_context(|| format!("`{text}` is no number"))
}

fn fuzz_task(options: Vec<OsString>) -> Result<Task> {
    let (mut target, mut minutes) = (None, 10);
    let mut options = options.into_iter().map(|option| option.to_string_lossy().into_owned());
    while let Some(option) = options.next() {
        if option == "--minutes" {
            let number = options.next().unwrap_or_default();
            minutes = match number.parse() {
                // More than a day is a mistake.
                Ok(minutes @ 1..=1440) => minutes,
                _ => bail!("`--minutes` takes a number from 1 to 1440, but got `{number}`"),
            };
        } else if target.is_none() && TARGETS.iter().any(|target| target.name == option) {
            target = Some(option);
        } else {
            bail!("`fuzz` takes one target ({}) and `--minutes N`, but got `{option}`", fuzz::names());
        }
    }
    Ok(Task::Fuzz { target, minutes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Task> {
        super::parse(line.split_whitespace().map(OsString::from))
    }

    fn strings(args: &[&str]) -> Vec<OsString> {
        args.iter().map(OsString::from).collect()
    }

    #[test]
    fn help_in_all_its_forms() {
        for line in ["", "--", "help", "--help", "-h", "test --help", "demo -h", "help test"] {
            assert_eq!(parse(line).unwrap(), Task::Help, "{line:?}");
        }
    }

    #[test]
    fn test_keeps_its_own_options_apart_from_those_of_cargo() {
        assert_eq!(parse("test").unwrap(), Task::Test { exhaustive: false, args: vec![] });
        assert_eq!(parse("test --exhaustive").unwrap(), Task::Test { exhaustive: true, args: vec![] });
        assert_eq!(
            parse("test --exhaustive -- --test gpu -- --nocapture --help").unwrap(),
            Task::Test { exhaustive: true, args: strings(&["--test", "gpu", "--", "--nocapture", "--help"]) }
        );
        let error = parse("test gpu").unwrap_err().to_string();
        assert!(error.contains("`test -- gpu`"), "{error}");
    }

    #[test]
    fn the_browser_has_a_command_of_its_own() {
        assert_eq!(parse("test --browser").unwrap(), Task::TestBrowser { args: vec![] });
        assert_eq!(
            parse("test --browser -- -- layouts").unwrap(),
            Task::TestBrowser { args: strings(&["--", "layouts"]) }
        );
        for line in ["test --browser --exhaustive", "test --exhaustive --browser"] {
            assert!(parse(line).unwrap_err().to_string().contains("`test --browser`"), "{line}");
        }
        assert_eq!(parse("web").unwrap(), Task::Web);
        assert!(parse("web here").unwrap_err().to_string().contains("`here`"));
    }

    #[test]
    fn demo_passes_everything_on() {
        assert_eq!(
            parse("demo --out here --fast -- --help").unwrap(),
            Task::Demo { args: strings(&["--out", "here", "--fast", "--help"]) }
        );
    }

    #[test]
    fn bench_keeps_peers_and_passes_the_rest_on() {
        assert_eq!(parse("bench").unwrap(), Task::Bench { peers: false, args: vec![] });
        assert_eq!(
            parse("bench --quick --peers --json here -- --help").unwrap(),
            Task::Bench { peers: true, args: strings(&["--quick", "--json", "here", "--help"]) }
        );
    }

    #[test]
    fn shaders_compiles_or_counts_and_passes_the_rest_on() {
        assert_eq!(
            parse("shaders --budget --only f16 -- --help").unwrap(),
            Task::Budget { args: strings(&["--only", "f16", "--help"]) }
        );
        assert_eq!(parse("shaders").unwrap(), Task::Shaders { args: vec![] });
        assert_eq!(
            parse("shaders --only dxc -- --help").unwrap(),
            Task::Shaders { args: strings(&["--only", "dxc", "--help"]) }
        );
    }

    #[test]
    fn proof_keeps_its_own_options_and_passes_the_rest_on() {
        assert_eq!(parse("proof").unwrap(), Task::Proof(proof::Options::default()));
        let asked =
            proof::Options { only: Some("GL".to_owned()), write: true, args: strings(&["--cases", "0..2"]) };
        assert_eq!(parse("proof --write --only GL -- --cases 0..2").unwrap(), Task::Proof(asked));
        assert!(parse("proof --only").unwrap_err().to_string().contains("NAME"));
        assert!(parse("proof all").unwrap_err().to_string().contains("`all`"));
    }

    #[test]
    fn mutants_are_counted() {
        let asked = mutants::Options { count: 7, first: 3, only: "kernel/".to_owned() };
        assert_eq!(parse("mutants --only kernel/ --count 7 --first 3").unwrap(), Task::Mutants(asked));
        assert_eq!(parse("mutants").unwrap(), Task::Mutants(mutants::Options::default()));
        for (line, part) in
            [("mutants --count", "`--count`"), ("mutants --first x", "`x`"), ("mutants all", "`all`")]
        {
            assert!(parse(line).unwrap_err().to_string().contains(part), "{line}");
        }
    }

    #[test]
    fn fuzz_takes_a_target_and_minutes() {
        let fuzz = |target: Option<&str>, minutes| Task::Fuzz { target: target.map(str::to_owned), minutes };
        assert_eq!(parse("fuzz").unwrap(), fuzz(None, 10));
        assert_eq!(parse("fuzz npy --minutes 3").unwrap(), fuzz(Some("npy"), 3));
        for (line, named) in [
            ("fuzz plans", "`plans`"),
            ("fuzz npy onnx", "`onnx`"),
            ("fuzz --minutes 0", "`0`"),
            ("fuzz --minutes", "from 1 to 1440"),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn validate_hands_what_follows_the_dashes_to_the_tests() {
        assert_eq!(parse("validate").unwrap(), Task::Validate { args: vec![] });
        assert_eq!(parse("validate -- slots").unwrap(), Task::Validate { args: strings(&["slots"]) });
        let error = parse("validate slots").unwrap_err().to_string();
        assert!(error.contains("`validate -- slots`"), "{error}");
    }

    #[test]
    fn deny_takes_one_option() {
        assert_eq!(parse("deny").unwrap(), Task::Deny { offline: false });
        assert_eq!(parse("deny --offline").unwrap(), Task::Deny { offline: true });
        assert!(parse("deny licenses").unwrap_err().to_string().contains("`--offline`"));
    }

    #[test]
    fn drivers_takes_nothing() {
        assert_eq!(parse("drivers").unwrap(), Task::Drivers);
        assert!(parse("drivers now").unwrap_err().to_string().contains("`now`"));
        assert!(parse("drivers -- now").unwrap_err().to_string().contains("`now`"));
    }

    #[test]
    fn an_unknown_command_is_named_beside_the_known_ones() {
        for line in ["tset", "--exhaustive"] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(line) && error.contains(COMMANDS), "{error}");
        }
    }

    #[test]
    fn the_usage_names_every_command() {
        for command in COMMANDS.split(", ") {
            assert!(USAGE.contains(&format!("cargo xtask {command}")), "{command}");
        }
    }
}
