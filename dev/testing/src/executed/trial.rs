//! Plans a clamp, executes the plan, and compares each element with the reference.

use std::collections::BTreeMap;
use std::fmt;

use wgpu_clamp::{Clamp, Clamps, DType, Error, Layout, Limits, Number, Plan, Scalar};
use wgsl_sanitizer::Memory;

use super::run::{Place, Run, Verdict};
use crate::numbers::mix;
use crate::slots::Slots;
use crate::values::mask;

/// Executes dispatches on devices that differ where WGSL leaves choices: [`Run::execute`], or a function around it.
pub type Execute<'a> = &'a dyn Fn(&Run) -> Vec<Verdict>;

/// The bytes of a packet.
const PACKET: u64 = 16;

/// A clamp with its layouts, and the data for its execution.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The clamps.
    pub clamps: Clamps<'a>,
    /// The layout of the source.
    pub src: &'a Layout,
    /// The layout of the destination.
    pub dst: &'a Layout,
    /// Whether both lie in one buffer.
    pub one_buffer: bool,
    /// The device.
    pub limits: Limits,
    /// Maps an address in src, in elements, to the bits of the element there.
    pub value: &'a dyn Fn(u64) -> u64,
    /// The bits of numbers on the GPU in the order Min, Max, scale, bias: one list for all elements, or one per channel.
    pub slots: &'a [[u64; 4]],
}

/// Counts of executed work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Elements of the output.
    pub elements: usize,
    /// Elements times devices.
    pub compared: usize,
    /// Dispatches times devices.
    pub dispatches: usize,
    /// The most devices of one run.
    pub devices: usize,
}

impl Count {
    /// Adds another run.
    pub fn add(&mut self, other: Self) {
        self.elements += other.elements;
        self.compared += other.compared;
        self.dispatches += other.dispatches;
        self.devices = self.devices.max(other.devices);
    }
}

/// Whether equal indices of two layouts of one shape have the same address.
pub(super) fn same_addresses(a: &Layout, b: &Layout) -> bool {
    let strides = a.strides().iter().zip(b.strides()).zip(a.shape());
    a.is_empty()
        || a.offset() == b.offset() && strides.into_iter().all(|((a, b), extent)| a == b || *extent == 1)
}

/// The four numbers of a clamp.
pub(super) fn numbers(clamp: &Clamp) -> [Number; 4] {
    [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()]
}

/// Plans clamps in one buffer or two.
pub fn plan(
    clamps: Clamps<'_>,
    (src, dst): (&Layout, &Layout),
    one_buffer: bool,
    limits: Limits,
) -> Result<Plan, Error> {
    if one_buffer {
        Plan::in_one_buffer(clamps, src, dst, limits)
    } else {
        Plan::new(clamps, src, dst, limits)
    }
}

impl Trial<'_> {
    /// The plan.
    pub fn plan(&self) -> Result<Plan, Error> {
        let Self { clamps, src, dst, one_buffer, limits, .. } = *self;
        plan(clamps, (src, dst), one_buffer, limits)
    }

    /// Plans and executes. Checks for each device that no shader has a fault, that the reference allows every element, and
    /// that all other bytes stay.
    pub fn run(&self, execute: Execute<'_>) -> Result<Count, String> {
        let plan = self.plan().map_err(|error| format!("{error}\n{self}"))?;
        let Some(clamp) = self.clamps.as_slice().first().filter(|_| !self.dst.is_empty()) else {
            return Ok(Count::default());
        };
        let (layouts, slots) = self.lay_out_slots(clamp);
        let recording = match plan.recording(self.clamps, layouts) {
            // With bindings this coarse and this short, none holds the element of a slot.
            Err(Error::Limit { .. }) if self.limits.binding_alignment > self.limits.max_binding_size => {
                return Ok(Count::default());
            }
            made => made.map_err(|error| format!("{error}\n{plan}\n{self}"))?,
        };
        let moves = self.moves(clamp);
        let mut buffers = self.operands(clamp, &moves);
        buffers.push(slots);
        let list = self.clamps.as_slice();
        let of = |n: usize| Slots::new(&list[n % list.len()], self.slots[n % self.slots.len()]);
        let found: Vec<_> = (0..list.len().max(self.slots.len())).map(of).collect();
        let size = clamp.dtype().size();
        let place = |one: &Move| {
            let input = (self.value)(one.from / clamp.source().size() as u64);
            let allowed = found[one.channel % found.len()].allowed(input);
            Place { offset: one.to, size, input, allowed }
        };
        let run = Run { output: moves.iter().map(place).collect(), recording, buffers };
        let verdicts = execute(&run);
        if verdicts.is_empty() {
            return Err(format!("no device executed it: {plan}\n{self}"));
        }
        if let Some(Verdict { device, findings }) = verdicts.iter().find(|one| !one.findings.is_empty()) {
            return Err(format!("{}\non a device: {device}\n{plan}\n{plan:?}\n{self}", findings.join("\n")));
        }
        let (elements, devices) = (moves.len(), verdicts.len());
        let dispatches = run.recording.dispatches.len() * devices;
        Ok(Count { elements, compared: elements * devices, dispatches, devices })
    }

    /// The elements' ways.
    fn moves(&self, clamp: &Clamp) -> Vec<Move> {
        let [from_size, to_size] = [clamp.source(), clamp.dtype()].map(|dtype| dtype.size() as u64);
        // With stride 1 along the axis and 0 elsewhere, an index's address is its channel.
        let mut strides = vec![0; self.dst.rank()];
        if let Some(axis) = self.clamps.axis() {
            strides[axis] = 1;
        }
        let channels = Layout::strided(self.dst.shape(), &strides, 0).unwrap();
        let places = self.src.addresses().zip(self.dst.addresses()).zip(channels.addresses());
        places
            .map(|((from, to), channel)| Move {
                from: from as u64 * from_size,
                to: to as u64 * to_size,
                channel,
            })
            .collect()
    }

    /// The buffers of src and dst, or their common buffer. Noise fills the packets around the elements.
    fn operands(&self, clamp: &Clamp, moves: &[Move]) -> Vec<Memory> {
        const FILL: u8 = 0xa5;
        let size = |layout: &Layout, dtype| layout.required_bytes(dtype);
        let [src, dst] = [size(self.src, clamp.source()), size(self.dst, clamp.dtype())];
        let sizes = if self.one_buffer { vec![src.max(dst)] } else { vec![src, dst] };
        let to = sizes.len() - 1;
        let mut packets = vec![BTreeMap::new(); sizes.len()];
        let mut surround = |buffer: usize, offset: u64| {
            let (at, last) = (offset / PACKET, (sizes[buffer] - 1) / PACKET);
            for packet in at.saturating_sub(1)..=at.saturating_add(1).min(last) {
                let noise = |i| mix(!(packet * PACKET + i as u64)) as u8;
                packets[buffer]
                    .entry(packet)
                    .or_insert_with(|| std::array::from_fn::<_, { PACKET as usize }, _>(noise));
            }
        };
        for one in moves {
            surround(0, one.from);
            surround(to, one.to);
        }
        let mut buffers: Vec<_> = sizes.iter().map(|size| Memory::new(*size, FILL)).collect();
        for ((buffer, packets), size) in buffers.iter_mut().zip(packets).zip(&sizes) {
            for (packet, bytes) in packets {
                let offset = packet * PACKET;
                buffer.write(offset, &bytes[..(size - offset).min(PACKET) as usize]);
            }
        }
        let size = clamp.source().size();
        for one in moves {
            let bits = (self.value)(one.from / size as u64);
            buffers[0].write(one.from, &bits.to_le_bytes()[..size]);
        }
        buffers
    }

    /// The layouts of the slots, and the buffer in which they lie. If a binding can hold two elements, the lowest element of
    /// each slot lies one element behind an aligned offset. Some strides are negative, some leave elements between channels.
    fn lay_out_slots(&self, clamp: &Clamp) -> ([Option<Layout>; 4], Memory) {
        let (mut layouts, mut elements, mut end) = ([None; 4], Vec::new(), 0);
        for (n, number) in numbers(clamp).into_iter().enumerate() {
            if number != Number::OnGpu {
                continue;
            }
            let size = if n < 2 { clamp.dtype().size() } else { DType::F32.size() };
            let within = usize::from(2 * size as u64 <= self.limits.max_binding_size);
            // Aligned like a binding, but to at most 4 KiB, which keeps the buffer small.
            let start =
                (end as usize).next_multiple_of(self.limits.binding_alignment.clamp(16, 1 << 12) as usize);
            let first = start / size + within;
            let stride = [1_isize, -2, 3, -1][n];
            let last = first + (self.slots.len() - 1) * stride.unsigned_abs();
            let layout = match self.slots.len() {
                1 => Layout::packed_at(&[], first),
                count => Layout::strided(&[count], &[stride], if stride < 0 { last } else { first }),
            };
            let layout = layout.unwrap();
            for (address, slot) in layout.addresses().zip(self.slots) {
                elements.push(((address * size) as u64, slot[n].to_le_bytes()[..size].to_vec()));
            }
            layouts[n] = Some(layout);
            end = ((last + 1) * size) as u64;
        }
        let mut buffer = Memory::new(end.next_multiple_of(4), 0);
        for (offset, bytes) in elements {
            buffer.write(offset, &bytes);
        }
        (layouts, buffer)
    }
}

/// An element's way from src to dst: the offset of its first byte on each side, and its channel.
struct Move {
    from: u64,
    to: u64,
    channel: usize,
}

impl fmt::Display for Trial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clamps, src, dst, one_buffer, limits, slots, .. } = self;
        let some = &slots[..slots.len().min(3)];
        write!(f, "src {src}, dst {dst}, one buffer: {one_buffer}, {limits:?}, slots: {some:x?}")?;
        write!(f, "\nalong {:?}", clamps.axis())?;
        clamps.as_slice().iter().take(3).try_for_each(|clamp| write!(f, "\n{clamp:?}"))
    }
}

/// Source elements for a clamp, by address. Half are small numbers; the others are edges of the dtype, random patterns
/// and, if dtypes agree, numbers near a bound.
pub fn values(clamp: &Clamp) -> impl Fn(u64) -> u64 + use<> {
    let dtype = clamp.source();
    // Up to 16 bits, random patterns include the edges.
    let edges = if dtype.bits() > 16 { wgpu_clamp::self_test::elements(dtype, 0) } else { vec![] };
    let bounds = if dtype == clamp.dtype() { [clamp.min(), clamp.max()] } else { [Number::Absent; 2] };
    let mask = mask(dtype);
    move |address| {
        let hash = mix(address);
        let any = hash >> 8;
        let small = f32::from(any as i16) / 64.0;
        let bits = match (hash % 8, bounds[any as usize % 2]) {
            (0, _) if !edges.is_empty() => edges[any as usize % edges.len()],
            (1, Number::Value(bound)) => bound.bits().wrapping_add(any % 5).wrapping_sub(2),
            (0..4, _) => any,
            _ => match dtype {
                DType::F16 => half::f16::from_f32(small).to_bits().into(),
                DType::BF16 => half::bf16::from_f32(small).to_bits().into(),
                DType::F32 => small.to_bits().into(),
                DType::F64 => f64::from(small).to_bits(),
                _ if dtype.is_signed_integer() => i64::from(any as i16).cast_unsigned(),
                _ => any & 0xffff,
            },
        };
        bits & mask
    }
}

/// Numbers for slots, different for each seed: one list per channel if the slots lie along an axis, else one list.
pub fn slots(clamps: Clamps<'_>, shape: &[usize], seed: u64) -> Vec<[u64; 4]> {
    let Some(clamp) = clamps.as_slice().first() else { return Vec::new() };
    let value = values(&Clamp::unbounded(clamp.dtype()));
    let along = clamps.axis().filter(|_| clamps.has_slots_along() && numbers(clamp).contains(&Number::OnGpu));
    let channels = along.map_or(1, |axis| shape[axis]);
    let of_channel = |channel: usize| {
        let chance = mix(seed ^ mix(channel as u64));
        let bound = |n: u64| value(mix(chance) ^ n);
        let factor = |n: u64| match mix(chance ^ n) % 16 {
            0 => f32::NAN,
            1 => f32::NEG_INFINITY,
            2 => 0.0,
            3 => -0.0,
            4..8 => 1.0,
            _ => f32::from(mix(chance ^ n) as i16) / 512.0,
        };
        [bound(0), bound(1), factor(2).to_bits().into(), factor(3).to_bits().into()]
    };
    (0..channels).map(of_channel).collect()
}

/// Returns as many clamps as `clamps` has, with the same dtypes and up to 64 different Mins. A result that Min did not
/// replace shows its source element; a replaced result shows its channel.
pub fn telling(clamps: Clamps<'_>) -> Vec<Clamp> {
    let one = |(n, clamp): (usize, &Clamp)| {
        let min = Scalar::from_bits(clamp.dtype(), 64 + n as u64 % 64).unwrap();
        let plain = Clamp::unbounded(clamp.dtype()).with_bounds(min, Number::Absent).unwrap();
        plain.with_source(clamp.source()).unwrap()
    };
    clamps.as_slice().iter().enumerate().map(one).collect()
}

/// Puts `others` in place of the clamps along the same axis, or `others[0]` in place of one clamp.
pub fn clamps_like<'a>(clamps: Clamps<'_>, others: &'a [Clamp]) -> Clamps<'a> {
    let axis = clamps.axis().filter(|_| !clamps.has_slots_along());
    axis.map_or_else(|| (&others[0]).into(), |axis| Clamps::along(axis, others))
}
