//! The generated text for a few layouts, kept in `snapshots/`, so that a change shows in a review.

use super::show::{Movement, shown};
use crate::{Clamp, Error, Layout, Limits, Plan};

/// Compares the texts of a plan with the snapshot `name`.
#[track_caller]
fn assert_kept(name: &str, plan: &Plan) {
    let text = shown(plan);
    assert!(text.contains("\n// Pieces of "), "{plan}");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn texts_are_kept() {
    type Change = fn(Clamp) -> Result<Clamp, Error>;
    let movements: [(&str, &str, Change); 6] = [
        ("pictures_to_planes", "hwc u8 -> chw f32 per channel", |clamp| clamp.with_affine(1.0 / 255.0, 0.0)),
        // ARCHITECTURE.md follows this call.
        ("f16_pictures_to_planes", "hwc f16 -> chw f16 per channel", |clamp| clamp.with_affine(0.5, 1.0)),
        ("mirrored_pictures", "mirrored u8 -> hwc u8", Ok),
        ("transposed_matrices", "transposed f32 -> matrix f32", Ok),
        ("rgb_into_rgba", "hwc u8 -> rgba u8", Ok),
        ("reversed_components_in_turn", "bgr i32 -> hwc i32", |clamp| clamp.with_affine(1.5, -3.25)),
    ];
    for (name, movement, change) in movements {
        assert_kept(name, &movement.parse::<Movement>().unwrap().plan(change).unwrap());
    }
    // The rows of these planes begin anywhere in a packet, so a stream finds each element by itself.
    let planes = Layout::packed(&[3, 48, 331]).and_then(|planes| planes.permute(&[1, 2, 0])).unwrap();
    let picture = Layout::packed(&[48, 331, 3]).unwrap();
    let [rows, planes] = [picture, planes].map(|layout| layout.slice(1, 1..331).unwrap());
    let plan = Plan::new(Clamp::new(1_u8, 100), &rows, &planes, Limits::default());
    assert_kept("odd_pictures_to_planes", &plan.unwrap());
}
