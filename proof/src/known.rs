//! Elements that are known to differ, and why.

/// An element that an implementation is known to get wrong. Anything else that differs is new.
struct Known {
    /// In the adapter's text, in small letters.
    adapter: &'static str,
    /// As the failure has it, from the input on.
    element: &'static str,
    /// The clamp, as the failure has it.
    clamp: &'static str,
    /// The element and the cause, in words.
    reason: &'static str,
}

/// All of them.
const KNOWN: [Known; 1] = [Known {
    adapter: "swiftshader",
    element: "input 0x00ffffff, expected 0x00800000, got 0x00000000",
    clamp: "Clamp { source: F32, dtype: F32, min: Absent, max: Absent, order: MinWins, nan_rule: Propagate, \
            affine: Some(Affine { scale: 0.5, bias: 0.0 }), precision: Fast, rounding: TowardZero }",
    reason: "`Fast` of F32 makes 0x00000000 of 0x00ffffff * 0.5, where the reference allows 0x00800000 alone. The \
             exact product is a tie between the largest subnormal and the smallest normal number, which rounds to the \
             latter; SwiftShader flushes what is below the smallest normal number before it rounds. `Exact` \
             is right there.",
}];

/// The reason for this failure of a case, in the words of its `Outcome`, if it is one of [`KNOWN`] and nothing else.
pub fn reason(adapter: &str, failure: &str) -> Option<&'static str> {
    let adapter = adapter.to_lowercase();
    let (element, clamp) = sole(failure)?;
    let is =
        |known: &&Known| adapter.contains(known.adapter) && known.element == element && known.clamp == clamp;
    KNOWN.iter().find(is).map(|known| known.reason)
}

/// The element and the clamp of a failure in which no other element differs. Of channels a failure names the first one's
/// clamp, which need not be the element's.
fn sole(failure: &str) -> Option<(&str, &str)> {
    let (plan, found) = failure.split_once(": differs from the CPU reference: ")?;
    let (matching, found) = found.split_once(" of ")?;
    let (elements, found) = found.split_once(" elements match; first at index ")?;
    let (_, found) = found.split_once(" of the buffer): ")?;
    let one = matching.parse::<usize>().ok()? + 1 == elements.parse().ok()?;
    let (element, clamp) = found.split_once("\n  ")?;
    (one && !plan.contains(" channels, ")).then_some((element, clamp))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Of `SwiftShader`.
    pub const FAILURE: &str = "\
every third element to a run, f32, fast affine step, two buffers, windows: 2, pixels kernel for 6580 elements (pixels to \
planes, by whole packets) + strided kernel for 4 elements (no faster kernel suits these strides): differs from the CPU \
reference: 6583 of 6584 elements match; first at index [2228] (element 2231 of the buffer): input 0x00ffffff, expected \
0x00800000, got 0x00000000\n  Clamp { source: F32, dtype: F32, min: Absent, max: Absent, order: MinWins, nan_rule: \
Propagate, affine: Some(Affine { scale: 0.5, bias: 0.0 }), precision: Fast, rounding: TowardZero }";

    #[test]
    fn it_is_known_of_every_adapter_that_is_one() {
        for adapter in ["SwiftShader Device (Subzero) (Vulkan, Cpu)", "google swiftshader, Chromium 148"] {
            assert_eq!(reason(adapter, FAILURE), Some(KNOWN[0].reason), "{adapter}");
        }
        assert_eq!(reason("llvmpipe (LLVM 15.0.6, 256 bits)", FAILURE), None);
    }

    #[test]
    fn it_is_that_element_alone() {
        for (from, to) in [
            ("6583 of", "6582 of"),
            ("input 0x00ffffff", "input 0x00fffffd"),
            ("input 0x00ffffff", "input 0x80ffffff"),
            ("expected 0x00800000", "expected 0x00800000 or 0x00000000"),
            ("got 0x00000000", "got 0x00000001"),
            ("got 0x00000000", "got 0x00000000; byte 3, outside the output, changed from 0x00 to 0x01"),
            ("scale: 0.5", "scale: 0.25"),
            ("bias: 0.0", "bias: -0.0"),
            ("min: Absent", "min: Value(0)"),
            ("precision: Fast", "precision: Exact"),
            ("fast affine step, ", "fast affine step, 3 channels, "),
            ("first at", "byte 3"),
        ] {
            let other = FAILURE.replacen(from, to, 1);
            assert_ne!(other, FAILURE, "{from}");
            assert_eq!(reason("SwiftShader", &other), None, "{to}");
        }
        let more = [FAILURE, FAILURE].join("\n");
        assert_eq!(reason("SwiftShader", &more), None);
    }
}
