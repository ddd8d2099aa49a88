//! What a device did to a recording, in words.

use super::execution::Recording;
use crate::fragment::Fragment;
use crate::shader::Module;

/// The result of a [`Recording`] on a device.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The device, in words.
    pub device: String,
    /// Faults of programs, wrong elements, and changed bytes outside the output.
    pub findings: Vec<Finding>,
}

/// A fault.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Index of the program whose lines `words` names.
    pub program: Option<usize>,
    /// The description; it names lines as `line 7`.
    pub words: String,
}

impl Recording {
    /// Describes a finding. Files and lines of fragments replace the module's line numbers.
    pub(super) fn describe(&self, Finding { program, words }: &Finding) -> String {
        let Some(program) = program else { return words.clone() };
        let (first, others) = words.split_once("line ").unwrap_or((words, ""));
        let others = others.split("line ").filter(|part| !part.is_empty()).map(|part| {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = part.split_at(digits);
            match number.parse().ok().and_then(|line| located(self.names[*program].module, line)) {
                Some((file, line)) => format!("{file}:{line}{rest}"),
                None => format!("line {part}"),
            }
        });
        first.to_owned() + &others.collect::<String>()
    }
}

/// The file of a module's line, and the line's number in this file. Both line numbers count from 1. A block's text is
/// called `block`.
fn located(module: Module, line: u32) -> Option<(String, usize)> {
    let mut left = (line as usize).checked_sub(1)?;
    for Fragment { name, text } in module.fragments() {
        let count = text.lines().count();
        if left < count {
            return Some((format!("shaders/{name}.wgsl"), left + 1));
        }
        left -= count;
    }
    let text = module.text()?;
    (left < text.lines().count()).then(|| ("block".to_owned(), left + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::SlotReads;
    use crate::shader::PipelineName;

    #[test]
    fn lines_of_a_module_are_those_of_its_fragments() {
        let module = Module::Resolve;
        let wgsl = module.source();
        for (n, line) in wgsl.lines().enumerate() {
            let (file, number) = located(module, n as u32 + 1).unwrap();
            let of_file = |fragment: &Fragment| format!("shaders/{}.wgsl", fragment.name) == file;
            let fragment = module.fragments().into_iter().find(of_file).unwrap();
            assert_eq!(fragment.text.lines().nth(number - 1), Some(line));
        }
        assert_eq!(located(module, 0), None);
        assert_eq!(located(module, wgsl.lines().count() as u32 + 1), None);

        let recording = Recording {
            names: vec![PipelineName::resolve(SlotReads::all().next().unwrap())],
            ..Recording::default()
        };
        let first = module.fragments()[0].text.lines().count();
        let words = format!("race: line {}, called in line 2 and line 7", first + 1);
        let finding = Finding { program: Some(0), words };
        let described =
            "race: shaders/grid.wgsl:1, called in shaders/resolve.wgsl:2 and shaders/resolve.wgsl:7";
        assert_eq!(recording.describe(&finding), described);
        let elsewhere = Finding { program: None, ..finding };
        assert_eq!(recording.describe(&elsewhere), elsewhere.words);
    }
}
