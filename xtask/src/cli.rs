//! The command line: which commands there are. What each makes of its words is for its own file to say.

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::{
    bench, demo, deny, drivers, fuzz, integrations, kit, lint, mutants, proof, release, shaders, test,
    validate, web,
};

/// All of them but `help`, in its order.
const COMMANDS: [Command; 15] = [
    demo::COMMAND,
    test::COMMAND,
    lint::COMMAND,
    validate::COMMAND,
    deny::COMMAND,
    bench::COMMAND,
    kit::COMMAND,
    shaders::COMMAND,
    proof::COMMAND,
    mutants::COMMAND,
    fuzz::COMMAND,
    integrations::COMMAND,
    release::COMMAND,
    drivers::COMMAND,
    web::COMMAND,
];

/// One command.
pub struct Command {
    /// What is typed.
    pub name: &'static str,
    /// Its part of `cargo xtask help`: an empty line, a line of usage, what it does.
    pub usage: &'static str,
    /// Understands the words behind the name, or says what is wrong with them.
    pub task: fn(Words) -> Result<Task>,
}

/// What is to be done, once it was understood.
pub type Task = Box<dyn FnOnce() -> Result<()>>;

/// The words behind the name of a command.
#[derive(Debug, Default)]
pub struct Words {
    /// Up to `--`.
    pub own: Vec<OsString>,
    /// Behind it: someone else's, `--help` included.
    pub rest: Vec<OsString>,
}

impl Words {
    /// All of them, for a command that has none of its own.
    pub fn all(self) -> Vec<OsString> {
        [self.own, self.rest].concat()
    }

    /// # Errors
    ///
    /// There is one, and `command` takes none.
    pub fn none(self, command: &str) -> Result<()> {
        match self.all().first() {
            None => Ok(()),
            Some(word) => bail!("`{command}` takes no arguments, but got `{}`", word.display()),
        }
    }
}

/// What the arguments ask for that follow `cargo xtask`.
///
/// # Errors
///
/// An unknown command, or an option that the command does not have.
pub fn task(args: impl IntoIterator<Item = OsString>) -> Result<Task> {
    let mut own: Vec<OsString> = args.into_iter().collect();
    let dashes = own.iter().position(|arg| arg == "--");
    let rest = dashes.map_or_else(Vec::new, |at| own.split_off(at).split_off(1));
    let asks_for_help = |arg: &OsString| arg == "--help" || arg == "-h";
    if own.is_empty() || own[0] == "help" || own.iter().any(asks_for_help) {
        return Ok(Box::new(|| {
            print!("{}", usage());
            Ok(())
        }));
    }
    let name = own.remove(0);
    match COMMANDS.iter().find(|command| name == command.name) {
        Some(command) => (command.task)(Words { own, rest }),
        None => {
            let names = COMMANDS.map(|command| command.name).join(", ");
            bail!("there is no command `{}`; the commands are: {names}, help", name.display())
        }
    }
}

/// What `cargo xtask help` prints.
fn usage() -> String {
    let commands = COMMANDS.map(|command| command.usage).concat();
    format!(
        "\
The commands of wgpu-clamp
{commands}
    cargo xtask help
        Shows this text.

What runs on a GPU, on a Linux machine that has no driver, installs Mesa's software drivers through the
machine's package manager. That needs root or a sudo that asks nothing; without either they print the
command to run. A driver that is already there is left alone. Windows and macOS need nothing.
"
    )
}

#[cfg(test)]
impl Words {
    /// As typed behind the name of a command.
    pub fn typed(line: &str) -> Self {
        let mut own: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        let dashes = own.iter().position(|arg| arg == "--");
        let rest = dashes.map_or_else(Vec::new, |at| own.split_off(at).split_off(1));
        Self { own, rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> String {
        let task = task(line.split_whitespace().map(OsString::from));
        task.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn help_in_all_its_forms() {
        for line in ["", "help", "--help", "-h", "test --help", "demo -h", "help test", "tset --help"] {
            assert_eq!(refusal(line), "", "{line:?}");
        }
        assert!(COMMANDS.iter().all(|command| usage().contains(&format!("cargo xtask {}", command.name))));
    }

    #[test]
    fn what_follows_the_dashes_is_not_of_the_command() {
        assert_eq!(refusal("test -- gpu --help"), "");
        assert_eq!(Words::typed("--out here -- --help").all(), ["--out", "here", "--help"]);
    }

    #[test]
    fn continuous_integration_types_commands_that_there_are() {
        let workflows = [
            include_str!("../../.github/workflows/ci.yml"),
            include_str!("../../.github/workflows/weekly.yml"),
        ];
        for workflow in workflows {
            let commands: Vec<_> =
                workflow.lines().filter_map(|line| line.split_once("cargo xtask ")).collect();
            assert!(commands.len() >= 4);
            for (_, command) in commands {
                assert_eq!(refusal(command), "", "{command}");
            }
        }
    }

    #[test]
    fn what_takes_nothing_says_so() {
        for line in ["drivers now", "drivers -- now", "web now"] {
            assert!(refusal(line).contains("`now`"), "{line}");
        }
    }

    #[test]
    fn an_unknown_command_is_named_beside_the_known_ones() {
        for line in ["tset", "--exhaustive", "--"] {
            let error = refusal(line);
            assert!(line == "--" || error.contains(line) && error.contains("demo, test, "), "{error}");
        }
    }
}
