//! The table, in markdown.

use std::fmt::Write as _;

use crate::figures::Family;
use crate::roofline::GPUS;
use crate::rows::Row;

/// Instructions of a row in all of its dispatches, for each of its elements and for each byte that is moved.
pub fn per_element_and_byte(family: &Family, row: &Row) -> Option<[f64; 2]> {
    let mut total = 0.0;
    for kernel in &row.kernels {
        let figures = family.kernels.get(&kernel.name())?;
        total += (figures.instructions * figures.workgroup_size * kernel.workgroups) as f64;
    }
    Some([total / row.elements as f64, total / row.bytes as f64])
}

/// A line for each row.
pub fn markdown(family: &Family, rows: &[Row]) -> String {
    let mut text = format!("{}: {}\n\n", family.name, family.device);
    text +=
        "| row | dtype | instructions per element | per byte | VGPRs | spills | waves | cycles per wave |";
    let mut rule = "| --- | --- | --: | --: | --: | --: | --: | --: |".to_owned();
    for gpu in &GPUS {
        _ = write!(text, " {} |", gpu.name);
        rule += " --: |";
    }
    _ = write!(text, "\n{rule}\n");
    for row in rows {
        let main = row.kernels.iter().max_by_key(|kernel| kernel.workgroups);
        let main = main.and_then(|kernel| family.kernels.get(&kernel.name()));
        let (Some(main), Some([element, byte])) = (main, per_element_and_byte(family, row)) else { continue };
        _ = write!(text, "| {}: {} | {} | {element:.1} | {byte:.2} |", row.section, row.name, row.dtype);
        _ = write!(text, " {} | {} | {} | {} |", main.vgprs, main.spills, main.waves, main.cycles);
        for gpu in &GPUS {
            _ = write!(text, " {:.2} |", gpu.ratio(byte));
        }
        text += "\n";
    }
    text
}
