//! Describes the plan of a movement like `hwc u8 -> chw f16`, for `cargo xtask show` and the snapshots.

use std::fmt::Write;
use std::str::FromStr;

use crate::{Clamp, Clamps, DType, Error, Layout, Limits, Plan, Scalar};

/// The environment variable with the words of a movement.
const WORDS: &str = "WGPU_CLAMP_SHOW";

/// If this is set, whole modules are printed.
const WHOLE: &str = "WGPU_CLAMP_SHOW_WHOLE";

const FORM: &str = "<layout> <dtype> -> <layout> <dtype> [per channel]";

type Make = fn() -> Result<Layout, Error>;

/// Layouts of a picture of 480 x 640 pixels with three components, and of a matrix of that size.
const LAYOUTS: [(&str, Make); 8] = [
    ("hwc", || Layout::packed(&[480, 640, 3])),
    ("chw", || Layout::packed(&[3, 480, 640])?.permute(&[1, 2, 0])),
    ("bgr", || Layout::packed(&[480, 640, 3])?.flip(2)),
    ("mirrored", || Layout::packed(&[480, 640, 3])?.flip(1)),
    ("rgba", || Layout::packed(&[480, 640, 4])?.slice(2, 0..3)),
    ("rotated", || Layout::packed(&[640, 480, 3])?.permute(&[1, 0, 2])?.flip(0)),
    ("matrix", || Layout::packed(&[480, 640])),
    ("transposed", || Layout::packed(&[640, 480])?.permute(&[1, 0])),
];

/// Layouts and dtypes of source and destination, and whether each of the three channels has its own clamp.
#[derive(Debug)]
pub(super) struct Movement {
    layouts: [Layout; 2],
    dtypes: [DType; 2],
    per_channel: bool,
}

impl FromStr for Movement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = LAYOUTS.map(|(name, _)| name).join(", ");
        let refused = |word: &str| {
            format!(
                "`{word}` does not fit; the form is: {FORM}; layouts are {names}; `matrix` and `transposed` \
                 combine only with each other and have no channels"
            )
        };
        let words: Vec<_> = text.split_whitespace().collect();
        let [src, source, "->", dst, dtype, rest @ ..] = &words[..] else { return Err(refused(text)) };
        let layout = |name| {
            let (_, layout) =
                LAYOUTS.iter().find(|(known, _)| *known == name).ok_or_else(|| refused(name))?;
            layout().map_err(|error| error.to_string())
        };
        let dtype_of = |name: &str| name.parse::<DType>().map_err(|error| error.to_string());
        let (layouts, dtypes) = ([layout(*src)?, layout(*dst)?], [dtype_of(source)?, dtype_of(dtype)?]);
        let per_channel = match rest {
            [] => false,
            ["per", "channel"] => true,
            _ => return Err(refused(&rest.join(" "))),
        };
        if layouts[0].shape() != layouts[1].shape() || per_channel && layouts[0].rank() < 3 {
            return Err(refused(text));
        }
        Ok(Self { layouts, dtypes, per_channel })
    }
}

impl Movement {
    /// The plan for clamps with bounds, each changed by `change`.
    pub(super) fn plan(&self, change: impl Fn(Clamp) -> Result<Clamp, Error>) -> Result<Plan, Error> {
        let all = self.candidates(change)?;
        Ok(all.into_iter().next().expect("`words` takes everything"))
    }

    /// The plans that take one of the candidates each, the plan's choice first.
    fn candidates(&self, change: impl Fn(Clamp) -> Result<Clamp, Error>) -> Result<Vec<Plan>, Error> {
        let [source, dtype] = self.dtypes;
        let clamp = |n: u8| {
            let bound = |byte: u8| Scalar::from_le_bytes(dtype, &[byte; 8][..dtype.size()]);
            change(Clamp::unbounded(dtype).with_bounds(bound(n)?, bound(0x40 + n)?)?.with_source(source)?)
        };
        let clamps = [clamp(0)?, clamp(1)?, clamp(2)?];
        let clamps = if self.per_channel { Clamps::along(2, &clamps) } else { Clamps::from(&clamps[0]) };
        let [src, dst] = &self.layouts;
        Plan::candidates(clamps, src, dst, Limits::default())
    }
}

/// The pipelines of a plan, and their generated texts, each once.
pub(super) fn shown(plan: &Plan) -> String {
    let mut shown = String::new();
    let mut texts: Vec<String> = Vec::new();
    for shader in plan.shaders() {
        let constants = shader.constants.iter().map(|(name, value)| format!(" {name}={value}"));
        _ = writeln!(shown, "// {}:{}", shader.label, constants.collect::<String>());
        let text = shader.wgsl.find("// Pieces of").map(|at| shader.wgsl[at..].to_owned());
        texts.extend(text.filter(|text| !texts.contains(text)));
    }
    for text in texts {
        _ = write!(shown, "\n{text}");
    }
    shown
}

#[test]
#[ignore = "prints what the words in WGPU_CLAMP_SHOW describe; `cargo xtask show` runs it"]
fn a_plan_is_shown() -> Result<(), Box<dyn std::error::Error>> {
    let words = std::env::var(WORDS).map_err(|_| format!("{WORDS} is not set; the form is: {FORM}"))?;
    let movement = words.parse::<Movement>()?;
    let step = |clamp: Clamp| clamp.with_affine(0.5, 1.0);
    println!("\n// The candidates, the best first:");
    for plan in movement.candidates(step)? {
        println!("// {plan}");
    }
    let plan = movement.plan(step)?;
    for window in plan.windows() {
        for name in window.launch.dispatches.iter().filter_map(|dispatch| plan.pipeline(&window, dispatch)) {
            let fragments = name.module.fragments();
            let names: Vec<_> = fragments.iter().map(|fragment| fragment.name).collect();
            println!("\n// {name} is joined from {}, and the text below", names.join(", "));
        }
    }
    match std::env::var(WHOLE) {
        Ok(_) => plan.shaders().iter().for_each(|shader| println!("\n{}", shader.wgsl)),
        Err(_) => println!("\n{}", shown(&plan)),
    }
    Ok(())
}

#[test]
fn each_layout_has_a_plan() {
    for (src, dst) in LAYOUTS.iter().flat_map(|(src, _)| LAYOUTS.map(|(dst, _)| (*src, dst))) {
        let is_matrix = |name| matches!(name, "matrix" | "transposed");
        let movement = format!("{src} u8 -> {dst}  float16").parse::<Movement>();
        assert_eq!(movement.is_ok(), is_matrix(src) == is_matrix(dst), "{src} -> {dst}");
        let channels = format!("{src} u8 -> {dst} f16 per channel").parse::<Movement>();
        assert_eq!(channels.is_ok(), !is_matrix(src) && !is_matrix(dst), "{src} -> {dst}");
        for movement in movement.into_iter().chain(channels) {
            let plan = movement.plan(Ok).unwrap();
            assert!(plan.dispatches() > 0 && shown(&plan).contains("kernel, "), "{src} -> {dst}");
        }
    }
}

#[test]
fn a_wrong_word_is_named_beside_right_ones() {
    for (text, named, right) in [
        ("hwc u8 ->", "`hwc u8 ->`", FORM),
        ("hwc u8 to chw f16", "`hwc u8 to chw f16`", "->"),
        ("hcw u8 -> chw f16", "`hcw`", "hwc, chw, bgr, mirrored, rgba, rotated, matrix, transposed"),
        ("hwc u8 -> chw f61", "\"f61\"", "f16, bf16"),
        ("hwc u8 -> chw f16 per row", "`per row`", "per channel"),
        ("hwc u8 -> matrix f16", "`hwc u8 -> matrix f16`", "`transposed`"),
        ("matrix u8 -> matrix f16 per channel", "per channel`", "no channels"),
    ] {
        let error = text.parse::<Movement>().unwrap_err();
        assert!(error.contains(named) && error.contains(right), "{text}: {error}");
    }
}
