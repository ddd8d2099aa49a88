//! What the README prints is what the repository holds.

const README: &str = include_str!("../README.md");

#[test]
fn the_quickstart_is_the_example() {
    let example = include_str!("../examples/quickstart.rs");
    let code = &example[example.find("use wgpu_clamp").unwrap()..];
    assert!(README.contains(code));
    assert!(code.lines().count() < 25);
}

/// The columns of a row, without those at its ends, which are empty.
fn columns(row: &str) -> Vec<&str> {
    let columns: Vec<_> = row.split('|').map(str::trim).collect();
    columns[1..columns.len() - 1].to_vec()
}

#[test]
fn the_cases_of_the_standards_are_those_that_the_tests_count() {
    let counted = include_str!("data/CONFORMANCE.md");
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    let mut systems = 0;
    for row in README.lines().filter(|line| line.contains(" | ")).map(columns) {
        // Standard, constructor, versions, held to, cases, equal.
        let &[.., held_to, cases, equal] = &row[..] else { continue };
        let rows = counted.lines().filter(|line| line.starts_with("| ")).map(columns);
        let rows: Vec<_> = rows.filter(|row| row.len() > 8 && row[2] == held_to).collect();
        if rows.is_empty() || number(rows[0][4]) == 0 {
            continue;
        }
        systems += 1;
        // Standard, version, held to, dtype, cases, and three kinds of equal ones.
        assert_eq!(number(cases), rows.iter().map(|row| number(row[4])).sum::<u32>(), "{held_to}");
        let equal_of = |row: &Vec<&str>| row[5..8].iter().map(|text| number(text)).sum::<u32>();
        assert_eq!(number(equal), rows.iter().map(equal_of).sum::<u32>(), "{held_to}");
    }
    assert_eq!(systems, 4);
}
