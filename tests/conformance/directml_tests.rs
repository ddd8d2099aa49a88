//! Runs the cases from `DirectML`'s text on every adapter: it has no runtime here.

use wgpu_clamp::Number;

use crate::directml_text::cases;
use crate::harness::gpus;
use crate::judge::{Job, bits};
use crate::run_gpu::run;

#[test]
fn the_text_of_directml_is_met_on_every_adapter() {
    let cases = cases();
    assert!(cases.len() >= 39, "{} cases", cases.len());
    for case in cases {
        let bounds = [case.clamp.min(), case.clamp.max()];
        let slots = bounds.map(|bound| bits(bound).unwrap_or_default());
        let [min, max] = bounds.map(|bound| bits(bound).map_or(bound, |_| Number::OnGpu));
        let from_slots = case.clamp.with_bounds(min, max).unwrap();
        for gpu in gpus() {
            for clamp in [case.clamp, from_slots] {
                let job = Job { clamp, on_host: case.clamp, slots, shape: &[case.src.len()], x: &case.src };
                assert_eq!(run(gpu, &job).as_ref(), Ok(&case.expected), "{} on {}", case.sentence, gpu.name);
            }
        }
    }
}
