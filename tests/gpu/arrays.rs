//! Views of ndarray: the memory of the array is uploaded as it is, and the view is a layout.

use wgpu_clamp::ndarray::{Array3, ArrayRef3, Axis, Slice};
use wgpu_clamp::{Clamp, Layout, Operands, Tensor, View, reference};

use crate::harness::gpus;

fn clamped(clamp: &Clamp, x: u16) -> u16 {
    reference::element(clamp, x.into()).unwrap() as u16
}

#[test]
fn views_of_arrays_are_clamped_without_a_host_copy() {
    let clamp = Clamp::new(200_u16, 700);
    let array = Array3::from_shape_fn((7, 11, 13), |(i, j, k)| (143 * i + 13 * j + k) as u16);
    let memory = array.as_slice_memory_order().unwrap();
    for gpu in gpus() {
        let src = Tensor::upload(&gpu.host, &[memory.len()], memory).unwrap();
        let check = |view: &ArrayRef3<u16>| {
            let layout = Layout::of_view(memory, view).unwrap();
            let dst = Tensor::zeros(&gpu.host, src.dtype(), view.shape()).unwrap();
            let operands = Operands::new(View::of::<u16>(src.buffer(), layout), dst.view());
            gpu.host.submit(&clamp, operands).unwrap();
            let read = dst.read_blocking::<u16>().unwrap();
            let expected = view.mapv(|x| clamped(&clamp, x)).into_dyn();
            assert_eq!(dst.layout().array_view(&read).unwrap(), expected, "{layout} on {}", gpu.name);
        };
        check(&array.t());
        let mut backwards = array.view();
        backwards.invert_axis(Axis(0));
        backwards.invert_axis(Axis(2));
        check(&backwards);
        let mut box_of_some = array.view();
        box_of_some.slice_axis_inplace(Axis(0), Slice::new(1, None, 2));
        box_of_some.slice_axis_inplace(Axis(1), Slice::new(0, None, -3));
        box_of_some.slice_axis_inplace(Axis(2), Slice::new(4, Some(9), 1));
        check(&box_of_some.permuted_axes([2, 0, 1]));
        check(&array.index_axis(Axis(0), 3).broadcast((5, 11, 13)).unwrap());

        let rows = Slice::new(0, None, -2);
        let part = Layout::of_view(memory, &array.slice_axis(Axis(1), rows)).unwrap();
        gpu.host.submit(&clamp, Operands::in_place(View::of::<u16>(src.buffer(), part))).unwrap();
        let mut expected = array.clone();
        expected.slice_axis_mut(Axis(1), rows).mapv_inplace(|x| clamped(&clamp, x));
        assert_eq!(src.read_blocking::<u16>().unwrap(), expected.as_slice().unwrap(), "{}", gpu.name);
    }
}
