//! Recording in one pass, and what may move between threads.

use wgpu_clamp::{
    Clamp, Clamper, Clamps, DType, Host, Layout, Number, Operands, Plan, Prepared, Tensor, View, reference,
    wgpu,
};

use crate::harness::{buffer, compare, gpus, packed, read};

/// A chain over several dtypes, buffers and kernels in one pass, each clamp reading what the previous clamp wrote.
#[test]
fn clamps_of_one_pass_keep_their_order_and_skip_nothing() {
    for gpu in gpus() {
        let bytes: Vec<u8> = (0..128).map(|i| (i * 5) as u8).collect();
        let (a, b) = (buffer(gpu, &bytes), buffer(gpu, &bytes));
        let line = packed(&[128]);
        let (even, odd) = (line.step(0, 2).unwrap(), line.slice(0, 1..128).unwrap().step(0, 2).unwrap());
        let half = |scale| Clamp::new(3_u8, 250).with_affine(scale, 7.0).unwrap();
        let (of_a, of_b) = (|layout| View::of::<u8>(&a, layout), |layout| View::of::<u8>(&b, layout));
        let calls = [
            (half(0.5), Operands::new(of_a(line), of_b(line))),
            (half(0.5), Operands::new(of_b(line), of_a(line))),
            (half(1.5), Operands::new(of_a(even), of_a(odd))),
            (half(1.5), Operands::in_place(of_a(line))),
            (Clamp::at_least(9_u8), Operands::in_place(of_a(line))),
            (half(0.25), Operands::new(of_a(odd), of_b(even))),
        ];
        let prepared = calls.map(|(clamp, operands)| gpu.clamper().prepare(clamp, operands).unwrap());
        gpu.run(&prepared.each_ref());

        let (mut x, mut y) = (bytes.clone(), bytes);
        for (clamp, operands) in calls {
            let src = if *operands.src().buffer() == a { x.clone() } else { y.clone() };
            let dst = if *operands.dst().buffer() == a { &mut x } else { &mut y };
            let (from, to) = (operands.src().layout(), operands.dst().layout());
            reference::apply(clamp, &from, &src, &to, dst).unwrap();
        }
        assert_eq!((read(gpu, &a), read(gpu, &b)), (x, y));
    }
}

/// A prepared clamp and the same on other buffers, in one pass: parameters in the uniform block and in a table, between
/// two buffers, within one, and in place.
#[test]
fn rebound_clamps_find_their_own_buffers() {
    for gpu in gpus() {
        let few = [Clamp::new(1_u8, 60), Clamp::new(2_u8, 99)];
        let many: Vec<Clamp> = (0..200_u8).map(Clamp::at_most).collect();
        let line = packed(&[2, 200]);
        let behind = packed(&[4, 200]).slice(0, 2..4).unwrap();
        let bytes = |seed: usize| (0..800).map(|i| (i * seed) as u8).collect::<Vec<_>>();
        for clamps in [Clamps::along(0, &few), Clamps::along(1, &many)] {
            let inputs = [bytes(7), bytes(11), bytes(13)];
            let of = |buffer, layout| View::of::<u8>(buffer, layout);
            let all = inputs.each_ref().map(|input| [(); 4].map(|()| buffer(gpu, input)));
            let operands = all.each_ref().map(|[a, b, c, d]| {
                [
                    Operands::new(of(a, line), of(b, line)),
                    Operands::new(of(d, behind), of(d, line)),
                    Operands::in_place(of(c, line)),
                ]
            });
            let mut calls = Vec::new();
            for operands in [0, 1, 2].map(|kind: usize| operands.map(|of_kinds| of_kinds[kind])) {
                let first = gpu.clamper().prepare(clamps, operands[0]).unwrap();
                let second = first.rebind(operands[1]).unwrap();
                let third = second.rebind(operands[2]).unwrap();
                calls.extend([third, first, second]);
            }
            gpu.run(&calls.iter().collect::<Vec<_>>());
            for (input, operands) in inputs.iter().zip(&operands) {
                compare(gpu, clamps, operands[0], input, input);
                compare(gpu, clamps, operands[2], input, input);
                // Between two places of a buffer, src stays.
                let mut expected = input.clone();
                reference::apply(clamps, &line, &input[400..], &line, &mut expected[..400]).unwrap();
                assert_eq!(read(gpu, operands[1].src().buffer()), expected, "{}", gpu.name);
            }
        }
    }
}

/// Views of a pool: other parts of the same buffers, before and behind those that were prepared.
#[test]
fn rebound_clamps_find_moved_views() {
    for gpu in gpus() {
        let step = u64::from(gpu.device().limits().min_storage_buffer_offset_alignment).max(16) as usize;
        let numbers = |from: usize| (0..3 * step).map(|i| (i * from) as u8).collect::<Vec<_>>();
        let (from, into, bounds) = (numbers(7), numbers(11), numbers(13));
        let at = |n: usize, offset: usize| Layout::packed_at(&[9], n * step + offset).unwrap();
        let slot = |n: usize, offset: usize| Layout::packed_at(&[], n * step + offset).unwrap();
        let clamp = Clamp::at_least(1_u8).with_bounds(1_u8, Number::OnGpu).unwrap();
        for [src, dst, max] in [[0, 0, 0], [2, 1, 1], [1, 2, 0], [0, 1, 2]] {
            let [a, b, c] = [&from, &into, &bounds].map(|bytes| buffer(gpu, bytes));
            let of = |buffer, layout| View::of::<u8>(buffer, layout);
            let operands = |src, dst, max| {
                Operands::new(of(&a, at(src, 3)), of(&b, at(dst, 5))).with_max(of(&c, slot(max, 2)))
            };
            let first = gpu.clamper().prepare(clamp, operands(1, 1, 1)).unwrap();
            gpu.run(&[&first.rebind(operands(src, dst, max)).unwrap()]);
            let told = Clamp::new(1, bounds[max * step + 2]);
            let mut expected = into.clone();
            reference::apply(told, &at(src, 3), &from, &at(dst, 5), &mut expected).unwrap();
            assert_eq!(read(gpu, &b), expected, "{} {src} {dst} {max}", gpu.name);

            // Both sides of one buffer are moved alike, in place and from one part to another.
            let both = |n| {
                [Operands::in_place(of(&a, at(n, 3))), Operands::new(of(&c, at(n, 3)), of(&c, at(n, 20)))]
            };
            let prepared =
                both(1).map(|operands| gpu.clamper().prepare(Clamp::new(2_u8, 99), operands).unwrap());
            let rebound: Vec<_> =
                prepared.iter().zip(both(src)).map(|(one, to)| one.rebind(to).unwrap()).collect();
            gpu.run(&rebound.iter().collect::<Vec<_>>());
            for (buffer, before, from, to) in [(&a, &from, 3, 3), (&c, &bounds, 3, 20)] {
                let mut expected = before.clone();
                reference::apply(Clamp::new(2_u8, 99), &at(src, from), before, &at(src, to), &mut expected)
                    .unwrap();
                assert_eq!(read(gpu, buffer), expected, "{} {src}", gpu.name);
            }
        }
    }
}

/// After `compile`, no call with the plan's clamps and layouts compiles anything.
#[test]
fn compiled_plans_need_no_further_pipeline() {
    for gpu in gpus() {
        let clamper = Clamper::new(gpu.device()).unwrap();
        let limits = clamper.limits();
        let data = [(); 3].map(|()| buffer(gpu, &[0; 4096]));
        let [rows, all] = [packed(&[16, 25]), packed(&[400])];
        let columns = packed(&[25, 16]).permute(&[1, 0]).unwrap();
        let clamp = Clamp::new(1_u8, 9);
        let many: Vec<Clamp> = (0..25_u8).map(Clamp::at_most).collect();
        let scaled = clamp.with_affine(Number::OnGpu, Number::OnGpu).unwrap();
        let on_gpu = scaled.with_bounds(Number::OnGpu, Number::OnGpu).unwrap();
        let of = |n: usize, layout| View::of::<u8>(&data[n], layout);
        let slot = |at| View::of::<f32>(&data[2], packed(&[100]).slice(0, at..at + 25).unwrap());
        let two = |from, to| Operands::new(of(0, from), of(1, to));
        let slots = two(rows, rows)
            .with_scale(slot(0))
            .with_bias(slot(25))
            .with_min(of(2, Layout::packed_at(&[], 300).unwrap()))
            .with_max(of(2, Layout::packed_at(&[25], 400).unwrap()));
        for (clamps, operands) in [
            (Clamps::from(&clamp), two(all, all)),
            (Clamps::from(&clamp), two(rows, columns)),
            (Clamps::along(1, &many), two(rows, columns)),
            (Clamps::from(&clamp), Operands::in_place(of(0, all))),
            (Clamps::slots_along(1, on_gpu), slots),
        ] {
            let (src, dst) = (operands.src(), operands.dst());
            let plan = if src.buffer() == dst.buffer() { Plan::in_one_buffer } else { Plan::new };
            let plan = plan(clamps, &src.layout(), &dst.layout(), limits).unwrap();
            let before = clamper.compiled_pipelines();
            clamper.compile(&plan).unwrap();
            let after = clamper.compiled_pipelines();
            assert!(after > before, "{plan} on {}", gpu.name);
            clamper.prepare(clamps, operands).unwrap();
            assert_eq!(clamper.compiled_pipelines(), after, "{plan} on {}", gpu.name);
        }
    }
}

/// wgpu's messages name the label of the bind groups; a rebound clamp keeps it, or has its own. Debug groups end.
#[test]
fn labels_reach_wgpu() {
    for gpu in gpus() {
        let (data, gone) = (buffer(gpu, &[9; 16]), buffer(gpu, &[9; 16]));
        gone.destroy();
        let of = |buffer| Operands::in_place(View::of::<u8>(buffer, packed(&[16])));
        let clamp = Clamp::at_most(6_u8);
        let prepared = gpu.clamper().prepare(clamp, of(&data).with_label("relu six")).unwrap();
        for (label, refused) in [
            ("wgpu-clamp", gpu.clamper().prepare(clamp, of(&gone))),
            ("cap", gpu.clamper().prepare(clamp, of(&gone).with_label("cap"))),
            ("relu six", prepared.rebind(of(&gone))),
            ("again", prepared.rebind(of(&gone).with_label("again"))),
        ] {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains(&format!("'{label}'")), "{label}: {error}");
        }
        let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
        gpu.run(&[&prepared, &prepared]);
        assert!(pollster::block_on(scope.pop()).is_none(), "{}", gpu.name);
        assert_eq!(read(gpu, &data), [6; 16]);
    }
}

/// From a texture into a buffer, through a clamp of its components in reverse, and back, by the layouts alone.
#[test]
fn textures_go_through_clamps_and_back() {
    const SIZE: [u32; 2] = [5, 3];
    for gpu in gpus() {
        for (format, dtype, channels) in [
            (wgpu::TextureFormat::Rgba8Uint, DType::U8, 4),
            (wgpu::TextureFormat::Rg16Uint, DType::U16, 2),
            (wgpu::TextureFormat::R32Uint, DType::U32, 1),
        ] {
            let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::COPY_SRC,
                view_formats: &[],
            });
            let texels: Vec<u8> = (0..60).map(|n| n * 4 % 251).collect();
            let rows =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(20), rows_per_image: None };
            gpu.host.queue().write_texture(texture.as_image_copy(), &texels, rows, texture.size());
            let layout = Layout::texels(SIZE, 256, channels, dtype).unwrap();
            let buffers = [(); 3].map(|()| buffer(gpu, &[0; 3 * 256]));
            let reversed = View::new(&buffers[0], dtype, layout.flip(0).unwrap());
            let [to, shown] = [&buffers[1], &buffers[2]].map(|buffer| View::new(buffer, dtype, layout));
            let mut encoder = gpu.encoder();
            let copy = reversed.texel_copy().unwrap();
            encoder.copy_texture_to_buffer(texture.as_image_copy(), copy, texture.size());
            gpu.clamper().encode(&mut encoder, Clamp::unbounded(dtype), Operands::new(reversed, to)).unwrap();
            encoder.copy_buffer_to_texture(to.texel_copy().unwrap(), texture.as_image_copy(), texture.size());
            let copy = shown.texel_copy().unwrap();
            encoder.copy_texture_to_buffer(texture.as_image_copy(), copy, texture.size());
            gpu.host.queue().submit([encoder.finish()]);
            let bytes = read(gpu, shown.buffer());
            for (n, texel) in texels.chunks(4).enumerate() {
                let found = &bytes[n / 5 * 256 + n % 5 * 4..][..4];
                let expected: Vec<u8> = texel.chunks(dtype.size()).rev().flatten().copied().collect();
                assert_eq!(found, expected, "texel {n} of {format:?} on {}", gpu.name);
            }
        }
    }
}

/// Rebound slots are read anew, though both calls share the parameters that their slots are written into.
#[test]
fn rebound_clamps_read_their_own_slots() {
    for gpu in gpus() {
        let clamp = Clamp::unbounded(DType::I16).with_bounds(Number::OnGpu, 90_i16).unwrap();
        let input: Vec<u8> = (0..64_i16).flat_map(|x| (x * 3 - 50).to_le_bytes()).collect();
        let src = buffer(gpu, &input);
        let layout = packed(&[64]);
        let calls =
            [-20_i16, 0, 40].map(|min| (buffer(gpu, &[0; 128]), buffer(gpu, bytemuck::bytes_of(&[min, 0]))));
        let operands = calls.each_ref().map(|(dst, min)| {
            let (src, dst) = (View::of::<i16>(&src, layout), View::of::<i16>(dst, layout));
            Operands::new(src, dst).with_min(View::of::<i16>(min, packed(&[])))
        });
        let first = gpu.clamper().prepare(clamp, operands[0]).unwrap();
        let [second, third] = [1, 2].map(|n: usize| first.rebind(operands[n]).unwrap());
        gpu.run(&[&second, &first, &third]);
        for (min, (dst, _)) in [-20_i16, 0, 40].into_iter().zip(&calls) {
            let expected: Vec<u8> =
                (0..64_i16).flat_map(|x| (x * 3 - 50).clamp(min, 90).to_le_bytes()).collect();
            assert_eq!(read(gpu, dst), expected, "{min} on {}", gpu.name);
        }
    }
}

/// Programs keep plain data as keys, and print handles in a line.
#[test]
fn plain_data_are_keys_and_handles_print_no_internals() {
    fn key<T: Eq + std::hash::Hash>(_: &T) {}
    for gpu in gpus() {
        let tensor = Tensor::zeros(&gpu.host, DType::U8, &[16]).unwrap();
        let (clamp, operands) = (Clamp::new(0_u8, 1), Operands::in_place(tensor.view()));
        key(&(tensor.view(), operands, Clamps::from(clamp), tensor.layout(), Number::from(Some(1_u8))));
        let prepared = gpu.clamper().prepare(clamp, operands).unwrap();
        let slice = gpu.host.clone();
        for printed in [
            format!("{tensor:?}"),
            format!("{operands:?}"),
            format!("{prepared:?}"),
            format!("{:?}", gpu.clamper()),
            format!("{slice:?}"),
        ] {
            let internals = ["wgpu", "Arc", "Mutex", "Core(", "Context", "Id("];
            let found = internals.iter().find(|internal| printed.contains(**internal));
            assert!(found.is_none() && printed.len() < 900, "{found:?}: {printed}");
        }
    }
}

#[test]
fn futures_move_between_threads_and_handles_are_shared() {
    fn moves<T: Send>(_: &T) {}
    fn shared<T: Send + Sync + Clone>() {}
    shared::<(Clamper, Prepared, Host, Tensor)>();
    moves(&Host::open());
    for gpu in gpus() {
        let tensor = Tensor::zeros(&gpu.host, DType::U8, &[1]).unwrap();
        moves(&tensor.read::<u8>());
        moves(&gpu.host.clamp_slice_in_place(Clamp::new(0_u8, 1), &mut [1_u8]).run());
    }
}
