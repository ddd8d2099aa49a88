//! What the README prints is what the repository holds.

#[test]
fn the_quickstart_is_the_example() {
    let example = include_str!("../examples/quickstart.rs");
    let code = &example[example.find("use wgpu_clamp").unwrap()..];
    assert!(include_str!("../README.md").contains(code));
    assert!(code.lines().count() < 25);
}

#[test]
fn the_conformance_table_is_what_the_tests_count() {
    let counted = include_str!("data/CONFORMANCE.md");
    let table = counted[counted.find("| standard").unwrap()..].split("\n\n").next().unwrap();
    assert!(include_str!("../README.md").contains(table));
}
