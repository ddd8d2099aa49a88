//! Mistakes in calls with a device.

use wgpu_clamp::half::f16;
use wgpu_clamp::{
    Clamp, ClampSlice, Clamper, Clamps, DType, Error, Layout, NanRule, Number, Operands, Order, Plan,
    Precision, Rounding, Tensor, View, reference, wgpu,
};

use super::{Table, refused};
use crate::harness::{Gpu, buffer, gpus, packed, strided};

/// Each adapter gives the same messages.
#[test]
fn with_a_device() {
    for gpu in gpus() {
        let mut table = Table::default();
        views(&mut table, gpu);
        texels(&mut table, gpu);
        buffers(&mut table, gpu);
        conversions(&mut table, gpu);
        channels(&mut table, gpu);
        slots(&mut table, gpu);
        rebound(&mut table, gpu);
        host_data(&mut table, gpu);
        slices(&mut table, gpu);
        limits(&mut table, gpu);
        table.assert_kept("with_a_device");
    }
}

fn views(table: &mut Table, gpu: &Gpu) {
    let (a, b) = (buffer(gpu, &[3; 64]), buffer(gpu, &[5; 64]));
    let clamp = Clamp::new(10_u8, 20);
    let mut of = |mistake: &str, src: (&wgpu::Buffer, Layout), dst: (&wgpu::Buffer, Layout)| {
        let operands = Operands::new(View::of::<u8>(src.0, src.1), View::of::<u8>(dst.0, dst.1));
        table.call(mistake, gpu, clamp, operands);
    };
    let line = packed(&[64]);
    let (nine, six) = (line.slice(0, 0..9).unwrap(), packed(&[2, 3]));
    of("two shapes", (&a, packed(&[4, 8])), (&b, packed(&[8, 4])));
    of("a buffer too small", (&a, packed(&[65])), (&b, packed(&[65])));
    of("a sliding window as dst", (&a, six), (&b, strided(&[2, 3], &[2, 1], 0)));
    of("a broadcast as dst", (&a, packed(&[5])), (&b, packed(&[1]).broadcast_to(&[5]).unwrap()));
    of("views that touch", (&b, nine), (&b, line.slice(0, 8..17).unwrap()));
    of("views in two orders", (&b, nine), (&b, nine.flip(0).unwrap()));
    let many = packed(&[1]).broadcast_to(&[1 << 40]).unwrap();
    of("more indices than bytes", (&a, many), (&b, packed(&[1 << 40])));
    // Elements 0 to 3 of four bytes, and elements 2 to 5 of two bytes.
    let halves = Clamp::unbounded(DType::F16).with_source(DType::F32).unwrap();
    let behind = View::of::<f16>(&a, Layout::packed_at(&[4], 2).unwrap());
    let operands = Operands::new(View::of::<f32>(&a, packed(&[4])), behind);
    table.call("views of two sizes that share bytes", gpu, halves, operands);
    // The offset is far beyond the buffer; two indices would share an element; but there is none.
    let nothing = Operands::in_place(View::of::<u8>(&a, strided(&[0, 7], &[1, 0], 1_000)));
    let mut prepared = gpu.clamper().prepare(clamp, nothing).unwrap();
    for offset in [1 << 63, 1, usize::MAX] {
        assert_eq!(prepared.dispatches(), 0);
        let elsewhere = Operands::in_place(View::of::<u8>(&a, strided(&[0, 7], &[1, 0], offset)));
        prepared = prepared.rebind(elsewhere).unwrap();
    }
}

fn texels(table: &mut Table, gpu: &Gpu) {
    let data = buffer(gpu, &[0; 16]);
    let rgba = Layout::texels([5, 3], 256, 4, DType::U8).unwrap();
    for (mistake, layout) in [
        ("a line", packed(&[256])),
        ("packed rows", strided(&[4, 3, 5], &[1, 20, 4], 0)),
        ("a row above another", rgba.flip(1).unwrap()),
        ("mirrored", rgba.flip(2).unwrap()),
        ("components in two texels", strided(&[3, 3, 5], &[1, 256, 4], 2)),
        ("components of the texel before", strided(&[3, 3, 5], &[-1, 256, 4], 5)),
        ("texels across rows", strided(&[3, 3, 5], &[1, 256, 3], 0)),
        ("a broadcast", packed(&[1]).broadcast_to(&[3, 5]).unwrap()),
        ("rows beyond u32", strided(&[3, 1, 5], &[1, 1 << 40, 4], 0)),
        ("a repeated row", rgba.slice(1, 0..1).unwrap().broadcast_to(&[4, 3, 5]).unwrap()),
        ("rows that overlap", strided(&[4, 3, 100], &[1, 256, 4], 0)),
    ] {
        table.add(format!("texel copy: {mistake}"), View::of::<u8>(&data, layout).texel_copy());
    }
    let far = strided(&[1, 1, 1], &[1, 256, 1], isize::MAX as usize);
    table.add("texel copy: beyond u64", View::of::<f64>(&data, far).texel_copy());
    assert_eq!(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT, 256);
    let bgr = rgba.slice(0, 0..3).unwrap().flip(0).unwrap();
    // Rows 1 and 2, from column 2 on.
    let part = bgr.slice(1, 1..3).unwrap().slice(2, 2..5).unwrap();
    let copy = View::of::<u8>(&data, part).texel_copy().unwrap();
    assert_eq!((copy.layout.offset, copy.layout.bytes_per_row), (256 + 8, Some(256)));
    assert_eq!(*copy.buffer, data);
}

fn buffers(table: &mut Table, gpu: &Gpu) {
    let usages = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    let [a, b] = [16, 64].map(|size| buffer(gpu, &vec![1; size]));
    let [bad, bare] = [usages, wgpu::BufferUsages::COPY_DST].map(|usages| gpu.zeros(16, usages));
    let [five, six, none] = [5, 6, 0].map(|size| gpu.zeros(size, wgpu::BufferUsages::STORAGE));
    let u32s = |buffer| View::of::<u32>(buffer, packed(&[4]));
    let words = Clamp::new(1_u32, 2);
    table.call("src without STORAGE", gpu, words, Operands::new(u32s(&bad), u32s(&b)));
    table.call("dst without STORAGE", gpu, words, Operands::new(u32s(&b), u32s(&bad)));
    table.call("both without STORAGE", gpu, words, Operands::in_place(u32s(&bare)));
    // The dtype is checked before the usage, and before the size.
    let bare = View::of::<f32>(&bare, packed(&[4]));
    table.call("literals of f64", gpu, Clamp::new(0.0, 6.0), Operands::in_place(bare));
    // Six bytes hold six elements, but a binding must be whole words. Five bytes hold only five elements.
    let bytes = Clamp::new(1_u8, 2);
    for (size, short) in [(6, &six), (5, &five)] {
        let [src, dst] = [short, &b].map(|buffer| View::of::<u8>(buffer, packed(&[6])));
        table.call(format!("6 elements in {size} bytes"), gpu, bytes, Operands::new(src, dst));
    }
    let one = View::of::<u8>(&none, packed(&[1]));
    table.call("a buffer of no size", gpu, bytes, Operands::in_place(one));
    gpu.clamper().prepare(bytes, Operands::in_place(View::of::<u8>(&none, packed(&[0])))).unwrap();
    let square = packed(&[2, 2]);
    let (short, long) = (View::of::<f64>(&a, square), View::of::<f64>(&b, square));
    let (reversed, far) = (square.flip(0).unwrap(), strided(&[2, 2], &[4, 2], 2));
    let doubles = Clamp::new(0.0, 6.0);
    for (mistake, src, dst) in [
        ("a short src", short, long),
        ("a short dst", long, short),
        ("both short", short, short),
        ("a short src, and dst in its buffer", short, View::of::<f64>(&a, reversed)),
        ("a dst with gaps", long, View::of::<f64>(&b, far)),
    ] {
        table.call(mistake, gpu, doubles, Operands::new(src, dst));
    }
}

fn conversions(table: &mut Table, gpu: &Gpu) {
    let (small, large) = (buffer(gpu, &[0; 64]), buffer(gpu, &[0; 256]));
    let (all, few) = (packed(&[64]), packed(&[16]));
    let (src, dst) = (View::of::<u8>(&small, all), View::of::<f32>(&large, all));
    let (bytes, floats) = (View::of::<u8>(&large, all), View::of::<f32>(&small, few));
    let to_floats = Clamp::new(0.0_f32, 1.0).with_source(DType::U8).unwrap();
    let halves = Clamp::at_least(f16::ONE);
    gpu.clamper().prepare(to_floats, Operands::new(src, dst)).unwrap();
    // The last 4 of 64 bytes, far from the floats.
    let far = View::of::<u8>(&small, strided(&[4], &[1], 60));
    for (mistake, clamp, src, dst) in [
        ("64 bytes for 64 floats", to_floats, bytes, View::of::<f32>(&small, all)),
        ("floats for bytes, too short", to_floats, View::of::<f32>(&small, all), dst),
        ("floats for bytes", to_floats, floats, View::of::<f32>(&large, few)),
        ("bytes for floats", to_floats, src, bytes),
        ("floats for both", to_floats, dst, dst),
        ("two sizes in place", to_floats, src, src),
        ("two sizes in place, wide enough", to_floats, bytes, bytes),
        ("two sizes in place, far from the floats", to_floats, far, far),
        ("two sizes in one buffer", to_floats, bytes, dst),
        ("floats for halves, as src", halves, floats, View::of::<f16>(&large, few)),
        ("floats for halves, as dst", halves, View::of::<f16>(&large, few), floats),
        ("floats for halves, as both", halves, floats, floats),
    ] {
        table.call(mistake, gpu, clamp, Operands::new(src, dst));
    }
    let at = |offset| strided(&[16], &[1], offset);
    let over = |src, dst| Operands::new(View::of::<u8>(&large, at(src)), View::of::<f32>(&large, at(dst)));
    for (src, dst) in [(0, 4), (128, 16)] {
        gpu.clamper().prepare(to_floats, over(src, dst)).unwrap();
    }
    for (src, dst) in [(1, 4), (0, 3), (64 + 63, 31), (200, 48)] {
        table.call(format!("16 bytes from {src}, 16 floats from {dst}"), gpu, to_floats, over(src, dst));
    }
    // Elements of one size may be converted in place. The single view has the source's dtype.
    let clamp = Clamp::unbounded(DType::F16).with_source(DType::I16).unwrap();
    let [before, after] = [DType::I16, DType::F16].map(|dtype| View::new(&large, dtype, all));
    gpu.clamper().prepare(clamp, Operands::new(before, after)).unwrap();
    gpu.clamper().prepare(clamp, Operands::in_place(before)).unwrap();
    table.call("the destination's dtype in place", gpu, clamp, Operands::in_place(after));
    // The constructor of a quantisation names both dtypes.
    let quantize = Clamp::quantize_linear(DType::F16, DType::I16, 0.5, 0).unwrap();
    let dequantize = Clamp::dequantize_linear(DType::I16, DType::F16, 0.5, 0).unwrap();
    for (mistake, clamp, operands) in [
        ("quantise in place, dst's dtype", quantize, Operands::in_place(before)),
        ("quantise, src's dtype as dst", quantize, Operands::new(after, View::of::<f16>(&small, few))),
        ("dequantise, dst's dtype as src", dequantize, Operands::new(after, View::of::<f16>(&small, few))),
        ("dequantise, src's dtype as dst", dequantize, Operands::new(before, View::of::<i16>(&small, few))),
    ] {
        table.call(mistake, gpu, clamp, operands);
    }
}

fn channels(table: &mut Table, gpu: &Gpu) {
    let clamp = Clamp::new(0.0_f32, 1.0);
    let data = buffer(gpu, &[0; 24]);
    let in_place = |shape: &[usize]| Operands::in_place(View::of::<f32>(&data, packed(shape)));
    let bytes = Clamp::new(0_u8, 1);
    let to_bytes = bytes.with_source(DType::F32).unwrap().with_rounding(Rounding::NearestEven);
    let quantize = Clamp::quantize_linear(DType::F32, DType::U8, 0.1, 3).unwrap();
    let on_gpu = |min, max| clamp.with_bounds(min, max).unwrap();
    let (low, high) = (on_gpu(Number::OnGpu, Number::Absent), on_gpu(Number::Absent, Number::OnGpu));
    for (mistake, axis, list) in [
        ("axis 2 of 2", 2, [clamp; 3].as_slice()),
        ("two clamps for three channels", 1, &[clamp; 2]),
        ("no clamps", 0, &[]),
        ("two sources", 1, &[clamp, clamp, clamp.with_source(DType::U8).unwrap()]),
        ("two sources and dtypes", 1, &[clamp, clamp, bytes]),
        ("two dtypes", 1, &[clamp, clamp, bytes.with_source(DType::F32).unwrap()]),
        ("two orders", 1, &[clamp, clamp, clamp.with_order(Order::MaxWins)]),
        ("two NaN rules", 1, &[clamp, clamp, clamp.with_nan_rule(NanRule::ToMin)]),
        ("two precisions", 1, &[clamp, clamp, clamp.with_precision(Precision::Exact)]),
        ("two roundings", 1, &[clamp, clamp, clamp.with_rounding(Rounding::NearestEven)]),
        ("a quantisation beside an affine step", 1, &[to_bytes, quantize, to_bytes]),
        ("a Max on the GPU", 1, &[clamp, high, clamp]),
        ("a Min on the GPU", 1, &[low, clamp, clamp]),
    ] {
        let (clamps, layout) = (Clamps::along(axis, list), packed(&[2, 3]));
        table.call(format!("channels: {mistake}"), gpu, clamps, in_place(&[2, 3]));
        // The reference and the plan refuse them with the same words.
        let refused = gpu.clamper().prepare(clamps, in_place(&[2, 3])).map(drop);
        let mut dst = [0; 24];
        assert_eq!(reference::apply(clamps, &layout, &[0; 24], &layout, &mut dst), refused);
        assert_eq!(reference::apply_in_place(clamps, &layout, &mut dst), refused);
        assert_eq!(Plan::new(clamps, &layout, &layout, gpu.clamper().limits()).map(drop), refused);
    }
    let none = gpu.clamper().prepare(Clamps::along(1, &[]), in_place(&[2, 0])).unwrap();
    assert_eq!(none.dispatches(), 0);
}

/// Operands with the slot number `n` of Min, Max, scale and bias.
#[expect(clippy::large_types_passed_by_value, reason = "each caller makes its operands anew")]
fn with_slot<'a>(operands: Operands<'a>, n: usize, slot: View<'a>) -> Operands<'a> {
    match n {
        0 => operands.with_min(slot),
        1 => operands.with_max(slot),
        2 => operands.with_scale(slot),
        _ => operands.with_bias(slot),
    }
}

fn slots(table: &mut Table, gpu: &Gpu) {
    let plain = Clamp::new(1_u8, 2).with_affine(2.0, 0.5).unwrap();
    let (data, other, short) = (buffer(gpu, &[7; 64]), buffer(gpu, &[7; 64]), buffer(gpu, &[7; 4]));
    let bare = gpu.zeros(4, wgpu::BufferUsages::COPY_DST);
    let in_place = Operands::in_place(View::of::<u8>(&data, packed(&[4, 2])));
    let on_gpu = Number::OnGpu;
    for (n, (argument, asked)) in [
        ("min", plain.with_bounds(on_gpu, plain.max())),
        ("max", plain.with_bounds(plain.min(), on_gpu)),
        ("scale", plain.with_affine(on_gpu, plain.bias())),
        ("bias", plain.with_affine(plain.scale(), on_gpu)),
    ]
    .into_iter()
    .enumerate()
    {
        let asked = asked.unwrap();
        let dtype = if n < 2 { DType::U8 } else { DType::F32 };
        let (one, along) = (Clamps::from(&asked), Clamps::slots_along(0, asked));
        let at = |buffer, layout| View::new(buffer, dtype, layout);
        let behind = 8 / dtype.size();
        for (mistake, clamps, slot) in [
            ("a slot of a number by value", (&plain).into(), at(&other, packed(&[]))),
            ("four numbers for one clamp", one, at(&other, packed(&[4]))),
            ("four numbers along axis 1", along, at(&other, packed(&[1, 4]))),
            ("a slot of rank 3", along, at(&other, packed(&[1, 4, 1]))),
            ("four numbers, each twice", along, at(&other, packed(&[4, 2]))),
            ("2 numbers for 4 channels", along, at(&other, packed(&[2]))),
            ("no numbers for 4 channels", along, at(&other, packed(&[0]))),
            ("along axis 2 of 2", Clamps::slots_along(2, asked), at(&other, packed(&[]))),
            ("a slot of i32", one, View::of::<i32>(&other, packed(&[]))),
            ("a short buffer", one, at(&short, strided(&[1], &[1], 4))),
            ("a buffer without STORAGE", one, at(&bare, packed(&[]))),
            // Overlap counts in bytes: the output has eight.
            ("the last bytes of dst", one, at(&data, Layout::packed_at(&[], behind - 1).unwrap())),
        ] {
            table.call(format!("{argument}: {mistake}"), gpu, clamps, with_slot(in_place, n, slot));
        }
        table.call(format!("{argument}: no slot"), gpu, one, in_place);
        // Directly behind the output.
        for (clamps, shape) in
            [(one, &[][..]), (along, &[4]), (along, &[4, 1]), (along, &[1, 1]), (one, &[1, 1, 1])]
        {
            let slot = at(&data, Layout::packed_at(shape, behind).unwrap());
            gpu.clamper().prepare(clamps, with_slot(in_place, n, slot)).unwrap();
        }
        // Without an element there is nothing to do, but slots are checked.
        let nothing = Operands::in_place(View::of::<u8>(&data, packed(&[0, 2])));
        let of = |shape| with_slot(nothing, n, at(&other, packed(shape)));
        assert_eq!(gpu.clamper().prepare(along, of(&[0])).unwrap().dispatches(), 0);
        table.call(format!("{argument}: 2 numbers for no channel"), gpu, along, of(&[2]));
    }
}

fn rebound(table: &mut Table, gpu: &Gpu) {
    let (a, b, short) = (buffer(gpu, &[7; 64]), buffer(gpu, &[7; 64]), buffer(gpu, &[7; 4]));
    let bare = gpu.zeros(64, wgpu::BufferUsages::COPY_DST);
    let [eight, row] = [packed(&[8]), packed(&[2, 4])];
    let of = |buffer, layout| View::of::<u8>(buffer, layout);
    let clamp = Clamp::new(1_u8, 2).with_bounds(1_u8, Number::OnGpu).unwrap();
    let slot = |buffer, at| of(buffer, Layout::packed_at(&[], at).unwrap());
    let two = Operands::new(of(&a, eight), of(&b, eight)).with_max(slot(&b, 8));
    let two = gpu.clamper().prepare(clamp, two).unwrap();
    let one = gpu.clamper().prepare(Clamp::new(1_u8, 2), Operands::in_place(of(&a, eight))).unwrap();
    let (from_a, to_a) = (of(&a, eight), of(&a, eight));
    for (mistake, prepared, operands) in [
        ("another dtype", &one, Operands::in_place(View::of::<i8>(&b, eight))),
        ("another shape", &one, Operands::in_place(of(&b, row))),
        ("a buffer too small", &one, Operands::in_place(of(&short, eight))),
        ("a buffer without STORAGE", &one, Operands::in_place(of(&bare, eight))),
        ("two buffers in place of one", &one, Operands::new(from_a, of(&b, eight))),
        ("one buffer in place of two", &two, Operands::new(from_a, to_a).with_max(slot(&b, 8))),
        ("no slot", &two, Operands::new(from_a, of(&b, eight))),
        ("a further slot", &one, Operands::in_place(to_a).with_scale(View::of::<f32>(&b, packed(&[])))),
        ("a dst too small", &two, Operands::new(from_a, of(&short, eight)).with_max(slot(&b, 8))),
    ] {
        table.add(format!("rebind: {mistake}"), prepared.rebind(operands));
    }
    let step = gpu.device().limits().min_storage_buffer_offset_alignment.max(16);
    let place = |argument: &str| {
        format!(
            "{argument}: it lies 1 bytes from the place that was prepared; a multiple of {step} bytes is needed; or prepare \
             the clamp anew for these operands"
        )
    };
    let error = one.rebind(Operands::in_place(of(&b, Layout::packed_at(&[8], 1).unwrap()))).unwrap_err();
    assert_eq!(error.to_string(), place("src and dst"));
    let error = two.rebind(Operands::new(from_a, of(&b, eight)).with_max(slot(&b, 9))).unwrap_err();
    assert_eq!(error.to_string(), place("max"));
    // In one buffer, both sides are moved alike.
    let large = buffer(gpu, &[7; 1024]);
    let [front, back, far] = [0, 256, 512].map(|at| of(&large, Layout::packed_at(&[8], at).unwrap()));
    let apart = gpu.clamper().prepare(Clamp::new(1_u8, 2), Operands::new(front, back)).unwrap();
    table.add("rebind: dst moved alone", apart.rebind(Operands::new(front, far)));
    // A slot that was in a buffer of its own is now in the output.
    let apart = Operands::new(from_a, of(&b, eight)).with_max(slot(&a, 4));
    let apart = gpu.clamper().prepare(clamp, apart).unwrap();
    table
        .add("rebind: a slot in dst", apart.rebind(Operands::new(of(&b, eight), to_a).with_max(slot(&a, 4))));
    // Without an element, the clamp is not recorded, but operands are checked.
    let nothing = Operands::in_place(of(&a, packed(&[0])));
    let nothing = gpu.clamper().prepare(Clamp::new(1_u8, 2), nothing).unwrap();
    assert_eq!(nothing.rebind(Operands::in_place(of(&b, packed(&[0])))).unwrap().dispatches(), 0);
    table.add("rebind: elements where none were", nothing.rebind(Operands::in_place(to_a)));
    let gone = buffer(gpu, &[7; 64]);
    gone.destroy();
    let error = one.rebind(Operands::in_place(of(&gone, eight))).unwrap_err();
    assert!(matches!(&error, Error::Wgpu { reason } if reason.starts_with("src and dst: ")), "{error}");
}

fn host_data(table: &mut Table, gpu: &Gpu) {
    let host = &gpu.host;
    let small = &gpu.limited(|limits| limits.max_buffer_size = 4096).host;
    let beyond = usize::try_from(gpu.device().limits().max_buffer_size).unwrap() + 1;
    for (mistake, made) in [
        ("3 elements for [2, 2]", Tensor::upload(host, &[2, 2], &[1.0_f32; 3])),
        ("5 bytes for 2 floats", Tensor::upload_bytes(host, DType::F32, &[2], &[0; 5])),
        ("9 dimensions", Tensor::zeros(host, DType::U8, &[1; 9])),
        ("more elements than can be counted", Tensor::zeros(host, DType::U8, &[usize::MAX, 2])),
        ("a byte more than a buffer", Tensor::zeros(host, DType::U8, &[beyond])),
        ("zeros beyond a small buffer", Tensor::zeros(small, DType::F32, &[2, 1024])),
        ("data beyond a small buffer", Tensor::upload(small, &[2048], &[0.0_f32; 2048])),
        ("bytes beyond a small buffer", Tensor::upload_bytes(small, DType::F32, &[2048], &[0; 8192])),
    ] {
        table.add(format!("tensor: {mistake}"), made);
    }
    let tensor = Tensor::upload(host, &[2], &[1.0_f32, 5.0]).unwrap();
    table.add("tensor: read as i32", tensor.read_blocking::<i32>());
}

fn slices(table: &mut Table, gpu: &Gpu) {
    let host = &gpu.host;
    let clamp = Clamp::at_most(7.0_f32).with_source(DType::U8).unwrap();
    let (words, caps) = (Clamp::new(1_u16, 2), [2_u16, 5, 9].map(Clamp::at_most));
    let (one, channels) = (Clamps::from(&clamp), [clamp; 2]);
    let (along, two, of_words) =
        (Clamps::along(0, &channels), Clamps::along(1, &channels), Clamps::from(&words));
    let shaped = |run: ClampSlice<'_>, shape: &[usize]| match shape {
        [] => run.run_blocking(),
        shape => run.with_shape(shape).run_blocking(),
    };
    let mut dst = [9; 24];
    for (clamps, shape, src, len) in [
        (one, &[2, 3][..], 5, 24),
        (one, &[2, 3], 6, 23),
        (one, &[1; 9], 1, 4),
        (one, &[1], 1, 1),
        // Without a shape, there are as many elements as src has, in one dimension.
        (one, &[], 5, 24),
        (along, &[2, 3], 6, 23),
        (two, &[2, 3], 6, 24),
        (two, &[], 6, 24),
        (Clamps::along(2, &channels), &[2, 3], 6, 24),
    ] {
        let refused = shaped(host.clamp_bytes(clamps, &[1; 6][..src], &mut dst[..len]), shape);
        table.add(format!("{src} bytes to {len} bytes, shape {shape:?}"), refused);
    }
    for (clamps, shape, len) in
        [(one, &[][..], 24), (one, &[6], 24), (of_words, &[6], 24), (of_words, &[], 7)]
    {
        let refused = shaped(host.clamp_bytes_in_place(clamps, &mut dst[..len]), shape);
        table.add(format!("{len} bytes in place, shape {shape:?}"), refused);
    }
    assert_eq!(dst, [9; 24]);
    let mut data = [7_u16; 6];
    for (clamps, shape) in [
        (Clamps::along(1, &caps), &[3, 3][..]),
        (Clamps::along(0, &caps), &[]),
        (Clamps::along(1, &caps), &[]),
        (of_words, &[2, 4]),
    ] {
        let refused = shaped(host.clamp_slice_in_place(clamps, &mut data), shape);
        table.add(format!("6 elements in place, shape {shape:?}"), refused);
    }
    let mut floats = [7.0_f32; 3];
    for (mistake, refused) in [
        ("src of another dtype", host.clamp_slice(words, &[1, 2], &mut data[..2]).run_blocking()),
        ("dst of another dtype", host.clamp_slice(words, &[1_u16; 3], &mut floats).run_blocking()),
        ("a longer dst", host.clamp_slice(words, &[1_u16, 2], &mut data).run_blocking()),
        ("another dtype in place", host.clamp_slice_in_place(words, &mut floats).run_blocking()),
    ] {
        table.add(format!("slice: {mistake}"), refused);
    }
    assert_eq!((data, floats.map(f32::to_bits)), ([7; 6], [7.0_f32.to_bits(); 3]));
    // Slices have no slots: the error comes before anything is created, even without elements.
    let gpu = gpu.fresh();
    let made = || gpu.device().get_internal_counters().hal.buffers.read();
    let before = made();
    let asked = words.with_bounds(Number::OnGpu, 7_u16).unwrap();
    for len in [0, 2] {
        let (src, mut dst) = ([3_u8; 4], [9_u8; 4]);
        let (src, dst) = (&src[..2 * len], &mut dst[..2 * len]);
        let refused = gpu.host.clamp_bytes_in_place(asked, dst).run_blocking();
        assert_eq!(gpu.host.clamp_bytes(asked, src, dst).with_shape(&[len]).run_blocking(), refused);
        table.add(format!("{len} elements, Min on the GPU"), refused);
        assert!(dst.iter().all(|&x| x == 9));
    }
    assert_eq!(made(), before, "{}", gpu.name);
}

macro_rules! too_little {
    ($($limit:ident: $value:literal,)*) => {
        [$((stringify!($limit), wgpu::Limits { $limit: $value, ..wgpu::Limits::downlevel_defaults() })),*]
    };
}

fn limits(table: &mut Table, gpu: &Gpu) {
    for (limit, required_limits) in too_little![
        max_storage_buffers_per_shader_stage: 3,
        max_bindings_per_bind_group: 4,
        max_uniform_buffer_binding_size: 256,
        max_buffer_size: 128,
        max_compute_invocations_per_workgroup: 128,
        max_compute_workgroup_size_x: 255,
        max_compute_workgroup_size_y: 0,
        max_compute_workgroups_per_dimension: 0,
    ] {
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let (device, _) = pollster::block_on(gpu.adapter.request_device(&descriptor)).unwrap();
        table.add(format!("a device with too little: {limit}"), Clamper::new(&device));
    }

    let (line, clamp) = (packed(&[8]), Clamp::new(1_u8, 2));
    let other = gpu.clamper().limits().with(|limits| limits.max_workgroups_per_dimension = 7);
    let error = gpu.clamper().compile(&Plan::new(clamp, &line, &line, other).unwrap()).unwrap_err();
    // The message has the device's limits.
    assert!(matches!(&error, Error::Argument(refusal) if refusal.argument == "plan"), "{error}");
    assert!(error.to_string().ends_with("; give `Clamper::limits` to the plan"), "{error}");

    let small = gpu.limited(|limits| limits.max_storage_buffer_binding_size = 2048);
    let src = small.zeros(70_000 * 3072, wgpu::BufferUsages::STORAGE);
    let dst = buffer(&small, &vec![0; 140_000]);
    let src = View::of::<u8>(&src, strided(&[70_000, 2], &[3072, 1], 0));
    let operands = Operands::new(src, View::of::<u8>(&dst, packed(&[70_000, 2])));
    table.call("too many windows", &small, Clamp::new(1_u8, 2), operands);

    // A binding that is too small for a slot at its offset.
    {
        let small = gpu.limited(|limits| limits.max_storage_buffer_binding_size = 16);
        let [src, dst, slots] = [16, 16, 64].map(|size| buffer(&small, &vec![0; size]));
        let clamp = Clamp::at_least(1_i32).with_bounds(1_i32, Number::OnGpu).unwrap();
        let backwards = packed(&[2]).flip(0).unwrap();
        let (src, dst) = (View::of::<i32>(&src, backwards), View::of::<i32>(&dst, packed(&[2])));
        let operands = Operands::new(src, dst).with_max(View::of::<i32>(&slots, strided(&[], &[], 10)));
        // How much is needed depends on the adapter's alignment.
        let refused = refused(&small, (&clamp).into(), operands);
        let Err(Error::Limit { limit_name, limit, needed, .. }) = refused else { panic!("{refused:?}") };
        assert!(limit_name == "max_storage_buffer_binding_size" && limit == 16 && needed > limit);
    }

    // More channels than a binding has room for. This can happen with any limits.
    let small = gpu.limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    let all: Vec<_> = (0..4097_u16).map(|n| Clamp::at_most(f32::from(n))).collect();
    let [data, numbers] = [(); 2].map(|()| buffer(&small, &vec![0; 4 * 4100]));
    let in_place = |count: usize| Operands::in_place(View::of::<f32>(&data, packed(&[count, 1])));
    small.clamper().prepare(Clamps::along(0, &all[..4096]), in_place(4096)).unwrap();
    table.call("a table of 4097 clamps", &small, Clamps::along(0, &all), in_place(4097));
    // One clamp, with a slot that has an element per channel, or one for all.
    let clamp = Clamp::unbounded(DType::F32).with_affine(Number::OnGpu, Number::Absent).unwrap();
    let along = Clamps::slots_along(0, clamp);
    let of = |count, scales| in_place(count).with_scale(View::of::<f32>(&numbers, packed(&[scales])));
    small.clamper().prepare(along, of(4096, 4096)).unwrap();
    table.call("a table of 4097 slots", &small, along, of(4097, 4097));
    // Whole packets, so that no second dispatch takes their edges.
    assert_eq!(small.clamper().prepare(along, of(1492, 1)).unwrap().dispatches(), 2);
}
