//! `DirectML` has no runtime here: the cases derived from its text, on every adapter.

use crate::directml_text::cases;
use crate::harness::gpus;
use crate::run::on_gpu;

#[test]
fn the_text_of_directml_is_met_on_every_adapter() {
    let cases = cases();
    assert!(cases.len() >= 39, "{} cases", cases.len());
    for case in cases {
        for gpu in gpus() {
            for slots in [false, true] {
                let got = on_gpu(gpu, &case.clamp, &case.src, &[case.src.len()], slots);
                assert_eq!(got, case.expected, "{} on {}, slots: {slots}", case.sentence, gpu.name);
            }
        }
    }
}
