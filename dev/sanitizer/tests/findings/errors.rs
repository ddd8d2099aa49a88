//! Programs that are refused.

use wgsl_sanitizer::{Error, Module};

const MODULE: &str = "override SIZE: u32;
@compute @workgroup_size(SIZE)
fn main() { }

@compute @workgroup_size(1)
fn waiting() {
    storageBarrier();
}
@compute @workgroup_size(1)
fn dividing(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = f32(id.x);
    x = 1.0 / x;
}
@compute @workgroup_size(1)
fn taking_the_root(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = f32(id.x);

    x = sqrt(x);
}
@fragment fn fragment() { }";

fn refusal(entry_point: &str, constants: &[(&str, f64)]) -> Error {
    Module::parse(MODULE).unwrap().program(entry_point, constants).unwrap_err()
}

#[test]
fn wgsl_that_is_none() {
    assert!(matches!(Module::parse("fn main( {"), Err(Error::Invalid(_))));
    assert!(matches!(Module::parse("fn main() -> u32 { return 1i; }"), Err(Error::Invalid(_))));
}

#[test]
fn entry_points_and_constants() {
    assert!(Module::parse(MODULE).unwrap().program("main", &[("SIZE", 8.0)]).is_ok());
    assert!(matches!(refusal("missing", &[]), Error::NoEntryPoint(name) if name == "missing"));
    assert!(matches!(refusal("fragment", &[]), Error::NoEntryPoint(_)));
    assert!(matches!(refusal("main", &[]), Error::Constants(_)));
    assert!(matches!(refusal("main", &[("SIZE", 0.5)]), Error::Constants(_)));
    assert!(matches!(refusal("main", &[("SIZE", -1.0)]), Error::Constants(_)));
}

#[test]
fn what_is_out_of_reach_has_its_line() {
    let line_of = |entry_point| match refusal(entry_point, &[("SIZE", 1.0)]) {
        Error::Unsupported { line, .. } => line,
        other => panic!("{other}"),
    };
    assert_eq!(["waiting", "dividing", "taking_the_root"].map(line_of), [7, 12, 18]);
}
