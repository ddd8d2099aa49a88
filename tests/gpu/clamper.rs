//! Recording in one pass, and what may move between threads.

use wgpu_clamp::{Clamp, Clamper, DType, Host, Operands, Prepared, Tensor, View, reference};

use crate::harness::{buffer, gpus, packed, read};

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
        let prepared = calls.map(|(clamp, operands)| gpu.clamper().prepare(&clamp, operands).unwrap());
        gpu.run(&prepared.each_ref());

        let (mut x, mut y) = (bytes.clone(), bytes);
        for (clamp, operands) in calls {
            let src = if *operands.src().buffer() == a { x.clone() } else { y.clone() };
            let dst = if *operands.dst().buffer() == a { &mut x } else { &mut y };
            let (from, to) = (operands.src().layout(), operands.dst().layout());
            reference::apply(&clamp, &from, &src, &to, dst).unwrap();
        }
        assert_eq!((read(gpu, &a), read(gpu, &b)), (x, y));
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
        moves(&gpu.host.clamp_slice_in_place(&Clamp::new(0_u8, 1), &mut [1_u8]).run());
    }
}
