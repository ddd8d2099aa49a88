//! Plants faults in the shaders, one at a time. The self-test's cases find each fault without a device and name its
//! line.

use std::cell::Cell;

use clamp_testing::executed::samples::{Sample, lanes};
use clamp_testing::executed::{Run, Verdict};
use wgpu_clamp::Shader;
use wgpu_clamp::self_test::Case;

/// A fault: lines and their replacements.
struct Plant {
    fault: &'static str,
    /// Fragment below `shaders/`, line, replacement.
    lines: &'static [(&'static str, &'static str, &'static str)],
    /// Text that a module must contain to get the fault.
    modules: &'static str,
    /// Words that the finding must contain.
    found: &'static str,
    /// The line that the finding must name: the changed line, or the line that stores its result.
    at: &'static str,
}

const PLANTS: &[Plant] = &[
    Plant {
        fault: "atomics made plain",
        lines: &[
            (
                "binding/src_and_dst",
                "atomicXor(&dst_contended_words[i], bits);",
                "dst_contended_words[i] ^= bits;",
            ),
            (
                "binding/src_and_dst",
                "atomicStore(&dst_contended_words[i], w);",
                "dst_contended_words[i] = w;",
            ),
            (
                "binding/src_and_dst",
                "return atomicLoad(&dst_contended_words[i]);",
                "return dst_contended_words[i];",
            ),
            (
                "binding/two_buffers",
                "@group(0) @binding(2) var<storage, read_write> dst_contended_words: array<atomic<u32>>;",
                "@group(0) @binding(2) var<storage, read_write> dst_contended_words: array<u32>;",
            ),
        ],
        modules: "var<storage, read> src_words",
        found: "race",
        at: "`dst_contended_words[i] ^= bits;`",
    },
    Plant {
        fault: "a shift mask missing",
        lines: &[(
            "affine/float_product",
            "let significand = select(leading, size << (zeros & vec4<u32>(31u)), subnormal) >> vec4<u32>(8u);",
            "let significand = select(leading, size << zeros, subnormal) >> vec4<u32>(8u);",
        )],
        modules: "",
        found: "shift by the width or more",
        at: "`let significand = select(leading, size << zeros, subnormal) >> vec4<u32>(8u);`",
    },
    Plant {
        fault: "a lane too many",
        lines: &[(
            "kernel/unit_packed",
            "let highest = min(at.dst + row.length - origin, LANES) - 1u;",
            "let highest = min(at.dst + row.length - origin + 1u, LANES) - 1u;",
        )],
        // With channels, the extra lane may be another channel's element.
        modules: "fn set_channel(index: u32) {}",
        found: "outside the output, changed",
        at: "called in shaders/kernel/unit_packed.wgsl",
    },
    Plant {
        fault: "a NaN let through",
        lines: &[(
            "affine/specials",
            "return nans_replaced(select(finite, x, infinite));",
            "return nans_replaced(finite);",
        )],
        modules: "let finite = widen_operand(x)",
        found: "value that may be anything is stored",
        at: "`let finite = widen_operand(x) * vec4<f32>(a.scale) + vec4<f32>(a.bias);`",
    },
    Plant {
        fault: "a bound compared as a float",
        lines: &[(
            "element/float",
            "let above = key - vec4<u32>(b.above_first) < vec4<u32>(b.above_count);",
            "let above = (key - vec4<u32>(b.above_first) < vec4<u32>(b.above_count)) \
             & !(bitcast<vec4<f32>>(x) < bitcast<vec4<f32>>(vec4<u32>(b.max_bits)));",
        )],
        modules: "",
        found: "value that may be anything is stored",
        at: "since shaders/element/float.wgsl",
    },
    Plant {
        fault: "a packet loaded beyond the binding",
        lines: &[(
            "kernel/block_rows",
            "return (at.y * PACKET_BYTES + (at.src - at.dst) * DST_BYTES - 1u) / PACKET_BYTES;",
            "return (at.y * PACKET_BYTES + (at.src - at.dst) * DST_BYTES) / PACKET_BYTES;",
        )],
        modules: "",
        found: "access beyond the binding",
        at: "`return words_of(src_packets[i]);`",
    },
    Plant {
        fault: "two invocations that own one word",
        lines: &[(
            "kernel/block_rows",
            "let first = whole.x + at.index * select(1u, packets, IN_SEQUENCE);",
            "let first = whole.x + (at.index & ~1u) * select(1u, packets, IN_SEQUENCE);",
        )],
        modules: "",
        found: "race",
        at: "`dst_packets[i] = packet_of(p, arrayLength(&dst_packets));`",
    },
    Plant {
        // The fault is planted in F32 to F32 only, because conversions round once more.
        fault: "a product that needs fusing",
        lines: &[(
            "affine/float_exact",
            "let finite = packed(sum(product(x >> vec4<u32>(OPERAND_SIGN_SHIFT))));",
            // Scale and bias as f32, from their significands and exponents.
            "let a = numbers(); let finite = bitcast<vec4<u32>>(fma(bitcast<vec4<f32>>(x), \
             bitcast<vec4<f32>>(vec4<u32>((a.scale & 0x7fffffu) | (u32(a.scale_exponent + 127) << 23u) \
             | a.scale_sign)), bitcast<vec4<f32>>(vec4<u32>(((u32(a.bias) >> 5u) & 0x7fffffu) \
             | (u32(a.bias_exponent) << 23u) | a.bias_sign))));",
        )],
        modules: "const OPERAND_SIGN_SHIFT: u32 = SIGN_SHIFT;",
        found: " became ",
        at: "stored by shaders/",
    },
    Plant {
        fault: "a sum that needs subnormals",
        lines: &[(
            "f16/integers",
            "let subnormal = bitcast<vec4<u32>>(vec4<f32>(size) * 0x1p-24f);",
            "let subnormal = bitcast<vec4<u32>>((bitcast<vec4<f32>>(size << vec4<u32>(12u)) \
             + bitcast<vec4<f32>>(size << vec4<u32>(12u))) * 0x1p112f);",
        )],
        modules: "",
        found: " became ",
        at: "stored by shaders/",
    },
    Plant {
        // As an f32 whose exponent is too low by 112, a subnormal of F16 is a subnormal of f32.
        fault: "a subnormal F16 that a device may flush",
        lines: &[(
            "source/f16",
            "return bitcast<vec4<f32>>(widened_f16(x >> vec4<u32>(16u)));",
            "let low = bitcast<vec4<u32>>(bitcast<vec4<i32>>(x) >> vec4<u32>(3u)) & vec4<u32>(0x8fffe000u); \
             return bitcast<vec4<f32>>(bitcast<vec4<u32>>(bitcast<vec4<f32>>(low) * 0x1p112f) & vec4<u32>(0xffffe000u));",
        )],
        modules: "",
        found: " became ",
        at: "stored by shaders/",
    },
];

#[test]
fn planted_faults_are_found() {
    let cases = Case::all(false);
    for Plant { fault, lines, modules, found, at } in PLANTS {
        for (fragment, line, _) in *lines {
            let path = format!("{}/shaders/{fragment}.wgsl", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap();
            let count = text.lines().filter(|there| there.trim() == *line).count();
            assert_eq!(count, 1, "{fault}: {fragment}, `{line}`");
        }
        let has_fault =
            |shader: &&mut Shader| shader.wgsl.contains(lines[0].1) && shader.wgsl.contains(modules);
        let faults = Cell::new(0);
        let with_fault = |run: &Run| {
            let mut shaders = run.recording.shaders.clone();
            let before = faults.get();
            for shader in shaders.iter_mut().filter(has_fault) {
                faults.set(faults.get() + 1);
                for (_, line, planted) in *lines {
                    shader.wgsl = shader.wgsl.replace(line, planted);
                }
            }
            if faults.get() > before {
                return run.try_execute(&shaders).unwrap();
            }
            vec![Verdict { device: String::new(), findings: Vec::new() }]
        };
        let run = |(n, case)| Sample::of_case(case, n, lanes(n)).execute(&with_fault).err();
        let wrong = cases.iter().enumerate().find_map(run);
        let wrong = wrong.unwrap_or_else(|| panic!("{fault} is not found in {} programs", faults.get()));
        println!("{fault}, in the {}. program that has it: {wrong}\n", faults.get());
        assert!(wrong.contains(found) && wrong.contains(at), "{fault}: {wrong}");
    }
}
