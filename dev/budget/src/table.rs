//! The table, in markdown.

use std::fmt::Write as _;

use crate::figures::All;
use crate::rows::Row;

/// Instructions of all dispatches of a row, per element and per byte moved.
fn per_element_and_byte(all: &All, row: &Row) -> Option<[f64; 2]> {
    let mut total = 0.0;
    for kernel in &row.kernels {
        let figures = all.get(&kernel.name)?;
        total += (figures.instructions * figures.workgroup_size * kernel.workgroups) as f64;
    }
    Some([total / row.elements as f64, total / row.bytes as f64])
}

/// A line for each row.
pub fn markdown(all: &All, rows: &[Row]) -> String {
    let mut text = "| row | instructions per element | per byte | VGPRs | spills | waves | cycles per wave | compile, ms |\n".to_owned();
    text += "| --- | --: | --: | --: | --: | --: | --: | --: |\n";
    for row in rows {
        let main = row.kernels.iter().max_by_key(|kernel| kernel.workgroups);
        let main = main.and_then(|kernel| all.get(&kernel.name));
        let (Some(main), Some([element, byte])) = (main, per_element_and_byte(all, row)) else { continue };
        _ = write!(text, "| {} | {element:.1} | {byte:.2} |", row.title);
        _ = write!(text, " {} | {} | {} | {} |", main.vgprs, main.spills, main.waves, main.cycles);
        let of_row = row.kernels.iter().filter_map(|kernel| all.get(&kernel.name));
        _ = writeln!(text, " {:.0} |", of_row.map(|figures| figures.compile_ms).sum::<f64>());
    }
    text + &slow_to_compile(all)
}

/// Pipelines that take the driver longer are listed. A frame at 60 Hz lasts 16 ms, so users notice such a delay.
const SLOW_MS: f64 = 60.0;

/// The pipelines that take the driver longest, a line each.
fn slow_to_compile(all: &All) -> String {
    let count = all.len();
    let times = all.iter().map(|(name, figures)| (name, figures.compile_ms));
    let mut slow: Vec<_> = times.filter(|(_, ms)| *ms > SLOW_MS).collect();
    slow.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut text =
        format!("\n{} of {count} pipelines take the driver more than {SLOW_MS} ms.\n\n", slow.len());
    for (name, ms) in slow {
        _ = writeln!(text, "- {ms:.0} ms: {name}");
    }
    text
}
