//! The generated text for a few layouts, kept in `snapshots/`, so that a change shows in a review.

use super::show::{Movement, shown};
use crate::{Clamp, Error, Layout, Limits, Plan};

/// Compares the texts of a plan with the snapshot `name`.
#[track_caller]
fn assert_kept(name: &str, plan: &Plan) {
    let text = shown(plan);
    assert!(text.contains("\n// A block of "), "{plan}");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn plan(movement: &str, change: impl Fn(Clamp) -> Result<Clamp, Error>) -> Plan {
    movement.parse::<Movement>().unwrap().plan(change).unwrap()
}

#[test]
fn pictures_to_planes() {
    let scaled = |clamp: Clamp| clamp.with_affine(1.0 / 255.0, 0.0);
    assert_kept("pictures_to_planes", &plan("hwc u8 -> chw f32 per channel", scaled));
}

#[test]
fn mirrored_pictures() {
    assert_kept("mirrored_pictures", &plan("mirrored u8 -> hwc u8", Ok));
}

#[test]
fn transposed_matrices() {
    assert_kept("transposed_matrices", &plan("transposed f32 -> matrix f32", Ok));
}

#[test]
fn rgb_into_rgba() {
    assert_kept("rgb_into_rgba", &plan("hwc u8 -> rgba u8", Ok));
}

#[test]
fn reversed_components_in_turn() {
    let exact = |clamp: Clamp| clamp.with_affine(1.5, -3.25);
    assert_kept("reversed_components_in_turn", &plan("bgr i32 -> hwc i32", exact));
}

/// Rows of planes begin anywhere.
#[test]
fn odd_pictures_to_planes() {
    let planes = Layout::packed(&[3, 48, 331]).and_then(|planes| planes.permute(&[1, 2, 0])).unwrap();
    let picture = Layout::packed(&[48, 331, 3]).unwrap();
    let rows = picture.slice(1, 1..331).unwrap();
    let plan = Plan::new(&Clamp::new(1_u8, 100), &rows, &planes.slice(1, 1..331).unwrap(), Limits::default());
    assert_kept("odd_pictures_to_planes", &plan.unwrap());
}
