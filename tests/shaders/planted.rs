//! Plants faults in the shaders, one at a time, of each kind that the sanitizer knows. The self-test's cases find each fault
//! without a device and name its line. `cargo xtask mutants` plants thousands.

use std::cell::Cell;

use clamp_testing::executed::samples::{Sample, lanes};
use clamp_testing::executed::{Run, Verdict};
use wgpu_clamp::Shader;
use wgpu_clamp::self_test::Case;

/// A fault: a line and its replacement.
struct Plant {
    fault: &'static str,
    /// The fragment below `shaders/`.
    fragment: &'static str,
    line: &'static str,
    planted: &'static str,
    /// Text that a module must contain to get the fault.
    modules: &'static str,
    /// Words that the finding must contain.
    found: &'static str,
    /// The line that the finding must name: the changed line, or the line that stores its result.
    at: &'static str,
}

const PLANTS: [Plant; 6] = [
    Plant {
        fault: "a lane too many",
        fragment: "kernel/unit_packed",
        line: "let highest = min(at.dst + row.length - origin, LANES) - 1u;",
        planted: "let highest = min(at.dst + row.length - origin + 1u, LANES) - 1u;",
        // With channels, the extra lane may be another channel's element.
        modules: "fn set_channel(index: u32) {}",
        found: "outside the output, changed",
        at: "called in shaders/kernel/unit_packed.wgsl",
    },
    Plant {
        fault: "a NaN let through",
        fragment: "affine/specials",
        line: "return nans_replaced(select(finite, x, infinite));",
        planted: "return nans_replaced(finite);",
        modules: "let finite = widen_operand(x)",
        found: "value that may be anything is stored",
        at: "`let finite = widen_operand(x) * vec4<f32>(a.scale) + vec4<f32>(a.bias);`",
    },
    Plant {
        fault: "a packet loaded beyond the binding",
        fragment: "kernel/block_rows",
        line: "return (at.y * PACKET_BYTES + (at.src - at.dst) * DST_BYTES - 1u) / PACKET_BYTES;",
        planted: "return (at.y * PACKET_BYTES + (at.src - at.dst) * DST_BYTES) / PACKET_BYTES;",
        modules: "",
        found: "access beyond the binding",
        at: "`return words_of(src_packets[i]);`",
    },
    Plant {
        fault: "two invocations that own one word",
        fragment: "kernel/block_rows",
        line: "let first = whole.x + at.index * select(1u, packets, IN_SEQUENCE);",
        planted: "let first = whole.x + (at.index & ~1u) * select(1u, packets, IN_SEQUENCE);",
        modules: "",
        found: "race",
        at: "`dst_packets[i] = packet_of(p, arrayLength(&dst_packets));`",
    },
    Plant {
        // The fault is planted in F32 to F32 only, because conversions round once more.
        fault: "a product that needs fusing",
        fragment: "affine/float_exact",
        line: "let finite = packed(sum(product(x >> vec4<u32>(OPERAND_SIGN_SHIFT))));",
        // Scale and bias as f32, from their significands and exponents.
        planted: "let a = numbers(); let finite = bitcast<vec4<u32>>(fma(bitcast<vec4<f32>>(x), \
                  bitcast<vec4<f32>>(vec4<u32>((a.scale & 0x7fffffu) | (u32(a.scale_exponent + 127) << 23u) \
                  | a.scale_sign)), bitcast<vec4<f32>>(vec4<u32>(((u32(a.bias) >> 5u) & 0x7fffffu) \
                  | (u32(a.bias_exponent) << 23u) | a.bias_sign))));",
        modules: "const OPERAND_SIGN_SHIFT: u32 = SIGN_SHIFT;",
        found: " became ",
        at: "stored by shaders/",
    },
    Plant {
        // As an f32 whose exponent is too low by 112, a subnormal of F16 is a subnormal of f32.
        fault: "a subnormal F16 that a device may flush",
        fragment: "source/f16",
        line: "return bitcast<vec4<f32>>(widened_f16(x >> vec4<u32>(16u)));",
        planted: "let low = bitcast<vec4<u32>>(bitcast<vec4<i32>>(x) >> vec4<u32>(3u)) & vec4<u32>(0x8fffe000u); \
                  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(bitcast<vec4<f32>>(low) * 0x1p112f) \
                  & vec4<u32>(0xffffe000u));",
        modules: "",
        found: " became ",
        at: "stored by shaders/",
    },
];

#[test]
fn planted_faults_are_found() {
    let cases = Case::all(false);
    for Plant { fault, fragment, line, planted, modules, found, at } in PLANTS {
        let path = format!("{}/shaders/{fragment}.wgsl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let count = text.lines().filter(|there| there.trim() == line).count();
        assert_eq!(count, 1, "{fault}: {fragment}, `{line}`");
        let has_fault = |shader: &Shader| shader.wgsl.contains(line) && shader.wgsl.contains(modules);
        let faults = Cell::new(0);
        let with_fault = |run: &Run| -> Vec<Verdict> {
            let mut shaders = run.recording.shaders.clone();
            for shader in shaders.iter_mut().filter(|shader| has_fault(shader)) {
                faults.set(faults.get() + 1);
                shader.wgsl = shader.wgsl.replace(line, planted);
            }
            run.try_execute(&shaders).unwrap()
        };
        let samples = cases.iter().enumerate().map(|(n, case)| Sample::of_case(case, n, lanes(n)));
        let mut could = samples.filter(|sample| sample.plan().unwrap().shaders().iter().any(has_fault));
        let wrong = could.find_map(|sample| sample.execute(&with_fault).err());
        let wrong = wrong.unwrap_or_else(|| panic!("{fault} is not found in {} programs", faults.get()));
        println!("{fault}, in the {}. program that has it: {wrong}\n", faults.get());
        assert!(wrong.contains(found) && wrong.contains(at), "{fault}: {wrong}");
    }
}
