//! Executes naga's HLSL: Microsoft's compiler translates it to SPIR-V, and lavapipe executes this in place of naga's
//! SPIR-V. The results are compared with the crate's reference.

use anyhow::{Context, Result, anyhow, ensure};
use clamp_testing::values::{bits_of, elements, scalar_of};
use indicatif::ProgressIterator as _;
use wgpu_clamp::{
    Clamp, Clamper, Clamps, DType, Host, Layout, Operands, Plan, Precision, Tensor, View, verify, wgpu,
};

use crate::dxc::{self, Compiler};
use crate::each::bar;
use crate::hook::{self, swaps};
use crate::list::List;
use crate::options::Options;
use crate::outcome::{About, Absent, Run};
use crate::translate::{Module, ResourceBinding};

pub static EXECUTED: About = About {
    name: "DXC, executed",
    takes: "the same HLSL, and makes SPIR-V of it, which lavapipe executes in place of naga's",
    proves: "that the HLSL of these kernels computes the reference's bits, in DXC's reading of it",
    proves_not: "anything about DXIL, FXC or a driver of Direct3D 12, or about kernels, steps and placements that were not run: here src and dst are two buffers",
};

/// Runs every kernel on pairs of dtypes.
pub fn run(_: &List, options: &Options) -> Result<Run> {
    let (dxc, version) = dxc::library(options)?;
    let compiler = Compiler::new(&dxc)?;
    let (host, adapter) = open()?;
    let cases: Vec<_> = cases()?.into_iter().step_by(options.every).collect();
    let (mut refused, mut elements) = (Vec::new(), 0);
    for case in cases.iter().progress_with(bar("DXC, executed", cases.len())) {
        match case.run(&host, &compiler) {
            Ok(count) => elements += count,
            Err(error) => refused.push((case.name(), format!("{error:#}"))),
        }
    }
    let swaps = swaps();
    let idle = swaps.others.len() - swaps.swapped.len();
    ensure!(idle == 0 || !refused.is_empty(), "{idle} modules never reached the driver");
    let ran = format!("cases; {} pipelines, {elements} elements on {adapter}", swaps.swapped.len());
    Ok(Run { version, asked: cases.len(), refused, notes: vec![ran] })
}

/// Opens a device of the CPU's Vulkan driver, without features. [`hook`] replaces the SPIR-V of its modules.
fn open() -> Result<(Host, String)> {
    let instance = hook::instance()?;
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let of_cpu = |adapter: &wgpu::Adapter| adapter.get_info().device_type == wgpu::DeviceType::Cpu;
    let adapter =
        adapters.into_iter().find(of_cpu).ok_or(Absent("no Vulkan driver on the CPU: lavapipe is one"))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    let host = Host::new(&Clamper::new(&device)?, &queue);
    let wgpu::AdapterInfo { name, driver_info, .. } = adapter.get_info();
    Ok((host, format!("{name}, {driver_info}")))
}

/// Three clamps, one per channel, on layouts for one kernel. Without an axis of channels, only the first is used.
struct Case {
    route: &'static str,
    clamps: [Clamp; 3],
    axis: Option<usize>,
    src: Layout,
    dst: Layout,
    elements: Vec<u64>,
}

/// Every pair of dtypes on layouts for every kernel; steps and precisions take turns.
fn cases() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (p, (source, dtype)) in pairs().enumerate() {
        let elements = elements_of(source);
        for (r, (route, axis, [src, dst])) in routes(elements.len(), dtype)?.into_iter().enumerate() {
            let clamp = |channel: usize| -> Result<Clamp> {
                let (min, max) = [(10.0, 100.0), (0.0, 6.0), (2.5, 77.0)][(p + channel) % 3];
                let (min, max) = (scalar_of(dtype, min), scalar_of(dtype, max));
                let clamp = Clamp::unbounded(dtype).with_bounds(min, max)?.with_source(source)?;
                Ok(match (p + r) % 3 {
                    0 => clamp,
                    step => {
                        let (scale, bias) =
                            [(0.5, 0.25), (1.0 / 255.0, 0.0), (-1.7, 200.3)][(r + channel) % 3];
                        let precision = if step == 1 { Precision::Fast } else { Precision::Exact };
                        clamp.with_affine(scale, bias)?.with_precision(precision)
                    }
                })
            };
            let clamps = [clamp(0)?, clamp(1)?, clamp(2)?];
            cases.push(Case { route, clamps, axis, src, dst, elements: elements.clone() });
        }
    }
    Ok(cases)
}

fn pairs() -> impl Iterator<Item = (DType, DType)> {
    // In this order F32, and U8 to F32, come early and show whether anything works.
    DType::ALL.into_iter().flat_map(|dtype| {
        DType::ALL
            .into_iter()
            .filter(move |source| Clamp::unbounded(dtype).with_source(*source).is_ok())
            .map(move |source| (source, dtype))
    })
}

/// A name, the axis of channels, and the layouts of src and dst.
type Route = (&'static str, Option<usize>, [Layout; 2]);

/// Layouts for every kernel, most of them with at least `n` elements.
fn routes(n: usize, dtype: DType) -> Result<Vec<Route>> {
    let packed = Layout::packed;
    let line = |stride, offset| Layout::strided(&[n], &[stride], offset);
    let rows = n.div_ceil(141).max(2);
    let columns = n.div_ceil(192).next_multiple_of(16).max(64);
    let lanes = (4 / dtype.size()).max(2);
    let groups = n.div_ceil(lanes - 1);
    let width = n.div_ceil(3).next_multiple_of(64);
    let (pixels, planes) = (packed(&[width, 3])?.permute(&[1, 0])?, packed(&[3, width])?);
    let (odd_pixels, odd_planes) = (
        Layout::strided(&[3, width - 9], &[1, 3], 1)?,
        Layout::strided(&[3, width - 9], &[width.cast_signed(), 1], 5)?,
    );
    let run = packed(&[n])?;
    let channels = Layout::strided(&[n.max(3 * 1024), 3], &[3, 1], 5)?;
    Ok(vec![
        ("a run", None, [run, run]),
        ("a run of odd ends", None, [line(1, 1)?, line(1, 17)?]),
        ("planes of a clamp each", Some(0), [planes, planes]),
        ("pixels of a clamp for each component", Some(1), [channels, channels]),
        ("rows", None, [packed(&[rows, 143])?.slice(1, 0..141)?, packed(&[rows, 144])?.slice(1, 0..141)?]),
        ("one element to each row", None, {
            let rows = n.min(2000);
            [packed(&[rows, 1])?.broadcast_to(&[rows, 163])?, packed(&[rows, 167])?.slice(1, 0..163)?]
        }),
        ("every second element, reversed", None, [line(2, 1)?, line(-2, 2 * n)?]),
        ("every third element to a run", None, [line(3, 1)?, line(1, 3)?]),
        ("columns to rows", None, [packed(&[columns, 192])?.permute(&[1, 0])?, packed(&[192, columns])?]),
        (
            "groups to words",
            None,
            [packed(&[groups, lanes - 1])?, packed(&[groups, lanes])?.slice(1, 0..lanes - 1)?],
        ),
        ("pixels to planes", None, [pixels, planes]),
        ("planes to pixels", None, [planes, pixels]),
        ("pixels to planes, off packets", None, [odd_pixels, odd_planes]),
        ("planes to pixels, of a clamp each", Some(0), [odd_planes, odd_pixels]),
    ])
}

impl Case {
    fn name(&self) -> String {
        let [clamp, ..] = self.clamps;
        format!("{}: {clamp:?}", self.route)
    }

    fn clamps(&self) -> Clamps<'_> {
        self.axis.map_or((&self.clamps[0]).into(), |axis| Clamps::along(axis, &self.clamps))
    }

    /// Runs the case and returns the number of elements. Fails if one is wrong.
    fn run(&self, host: &Host, compiler: &Compiler) -> Result<usize> {
        let Self { clamps: [clamp, ..], src, dst, .. } = self;
        let plan = Plan::new(self.clamps(), src, dst, host.clamper().limits())?;
        for shader in plan.shaders() {
            let pipeline =
                Module::parse(&shader.wgsl)?.pipeline(shader.entry_point, on_a_cpu(&shader.constants))?;
            let naga = pipeline.spirv()?;
            let known = swaps().others.contains_key(&naga);
            if !known {
                let other = spirv(compiler, &pipeline.hlsl()?, shader.entry_point, &pipeline.registers())
                    .with_context(|| shader.label.clone())?;
                swaps().others.insert(naga, other);
            }
        }
        let kept = swaps().kept;

        let size = clamp.source().size();
        let mut before = vec![0x5a; src.required_bytes(clamp.source()) as usize];
        for (bytes, bits) in before.chunks_exact_mut(size).zip(self.elements.iter().cycle()) {
            bytes.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        let dst_before = vec![0xa5; dst.required_bytes(clamp.dtype()) as usize];
        let upload = |bytes: &[u8]| Tensor::upload_bytes(host, DType::U8, &[bytes.len()], bytes);
        let (from, to) = (upload(&before)?, upload(&dst_before)?);
        host.submit(
            self.clamps(),
            Operands::new(
                View::new(from.buffer(), clamp.source(), *src),
                View::new(to.buffer(), clamp.dtype(), *dst),
            ),
        )?;
        let after = to.read_bytes_blocking()?;
        ensure!(swaps().kept == kept, "a module of naga's went to the driver");
        let report = verify::check(
            self.clamps(),
            verify::Buffers {
                src_layout: src,
                src: &before,
                dst_layout: dst,
                dst_before: &dst_before,
                dst_after: &after,
            },
        )?;
        ensure!(report.passed(), "{report}");
        Ok(report.elements)
    }
}

/// The constants as the crate sets them on a CPU.
fn on_a_cpu(constants: &[(&'static str, f64)]) -> Vec<(&'static str, f64)> {
    let turned = |&(name, value)| (name, if name == "IN_SEQUENCE" { 1.0 } else { value });
    constants.iter().map(turned).collect()
}

/// Compiles HLSL to SPIR-V for Vulkan. Registers become WGSL's bindings, and uniform blocks keep HLSL's layout.
fn spirv(
    compiler: &Compiler,
    hlsl: &str,
    entry_point: &str,
    registers: &[(String, ResourceBinding)],
) -> Result<Vec<u32>> {
    let mut arguments: Vec<_> =
        ["-spirv", "-fspv-target-env=vulkan1.3", "-fvk-use-dx-layout"].map(str::to_owned).into();
    for (register, at) in registers {
        let binding = ["-fvk-bind-register".to_owned(), register.clone(), "0".to_owned()];
        arguments.extend(binding.into_iter().chain([at.binding.to_string(), at.group.to_string()]));
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let bytes = compiler.compile(hlsl, entry_point, &arguments).map_err(|message| anyhow!(message))?;
    ensure!(bytes.starts_with(&0x0723_0203_u32.to_le_bytes()), "no SPIR-V");
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}

/// All numbers of 8 and 16 bits. Of wider dtypes, the self-test's numbers, random ones, and multiples of ½ up to ±150.
fn elements_of(dtype: DType) -> Vec<u64> {
    let mut elements = elements(&Clamp::unbounded(dtype), 2000, 1);
    if dtype.bits() > 16 {
        elements.extend((0..=600).map(|n| bits_of(dtype, f64::from(n) / 2.0 - 150.0)));
    }
    elements
}
