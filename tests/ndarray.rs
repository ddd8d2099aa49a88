//! Compares layouts of ndarray's views with ndarray's own `mapv`: any slicing, order of axes, reversal and
//! broadcast.

use ndarray::{
    Array, ArrayBase, ArrayD, ArrayRef, ArrayView, Axis, Dimension, IxDyn, RawData, ShapeBuilder, Slice,
};
use proptest::prelude::*;
use wgpu_clamp::{Clamp, Element, Error, Layout, Precision, Refusal, ndarray, reference};

/// A change of a view: its kind, and numbers that are taken modulo the view's rank and extents.
type Step = (u8, u8, u8, u8);

fn taken<S: RawData>(view: &mut ArrayBase<S, IxDyn>, steps: &[Step]) {
    for &(kind, a, b, c) in steps {
        let rank = view.ndim();
        if rank == 0 || kind == 0 {
            view.insert_axis_inplace(Axis(usize::from(a) % (rank + 1)));
            continue;
        }
        let axis = Axis(usize::from(a) % rank);
        let extent = view.len_of(axis);
        match kind {
            1 => view.swap_axes(axis.index(), usize::from(b) % rank),
            2 => view.invert_axis(axis),
            3 if extent > 0 => view.collapse_axis(axis, usize::from(b) % extent),
            _ => {
                let (start, end) = (usize::from(b) % (extent + 1), usize::from(c) % (extent + 1));
                let step = [1, 2, 3, -1, -2][usize::from(a ^ b) % 5];
                view.slice_axis_inplace(axis, Slice::from(start.min(end)..start.max(end)).step_by(step));
            }
        }
    }
}

fn result<A: Element>(clamp: &Clamp, x: A) -> A {
    let bits = reference::element(clamp, x.to_bits64()).unwrap().to_le_bytes();
    bytemuck::pod_read_unaligned(&bits[..size_of::<A>()])
}

fn bits<A: Element, D: Dimension>(elements: &ArrayRef<A, D>) -> Vec<u64> {
    elements.iter().map(|x| x.to_bits64()).collect()
}

/// A view by start, end and step of each axis. (`s!` expands to an attribute that `forbid(unsafe_code)` refuses.)
fn part<A, D: Dimension, const RANK: usize>(
    array: &Array<A, D>,
    cuts: [(isize, Option<isize>, isize); RANK],
) -> ArrayView<'_, A, D> {
    let mut view = array.view();
    for (axis, (start, end, step)) in cuts.into_iter().enumerate() {
        view.slice_axis_inplace(Axis(axis), Slice::new(start, end, step));
    }
    view
}

/// Checks a view in place, and as a source whose extents of 1 are broadcast to `repeat`.
fn hold<A: Element>(clamp: &Clamp, array: &ArrayD<A>, steps: &[Step], repeat: usize) {
    let memory = array.as_slice_memory_order().unwrap();
    let mut view = array.view();
    taken(&mut view, steps);
    let shape: Vec<_> =
        view.shape().iter().map(|&extent| if extent == 1 { repeat } else { extent }).collect();
    let repeated = view.broadcast(IxDyn(&shape)).unwrap();

    let layout = Layout::of_view(memory, &repeated).unwrap();
    let packed = Layout::packed(&shape).unwrap();
    let mut dst = vec![A::zeroed(); packed.len()];
    let (src, dst_bytes) = (bytemuck::cast_slice(memory), bytemuck::cast_slice_mut(&mut dst));
    reference::apply(clamp, &layout, src, &packed, dst_bytes).unwrap();
    let expected = repeated.mapv(|x| result(clamp, x));
    assert_eq!(bits(&packed.array_view(&dst).unwrap()), bits(&expected), "{layout:?}");

    let back = layout.array_view(memory).unwrap();
    assert_eq!((back.shape(), bits(&back)), (repeated.shape(), bits(&repeated)), "{layout:?}");

    let mut expected = array.clone();
    let mut view_mut = expected.view_mut();
    taken(&mut view_mut, steps);
    view_mut.mapv_inplace(|x| result(clamp, x));
    let layout = Layout::of_view(memory, &view).unwrap();
    let mut clamped = array.clone();
    let memory = clamped.as_slice_memory_order_mut().unwrap();
    reference::apply_in_place(clamp, &layout, bytemuck::cast_slice_mut(memory)).unwrap();
    assert_eq!(bits(&clamped), bits(&expected), "{layout:?}");
}

/// An array of random bits, in row-major or Fortran order.
fn elements<A: Element>(shape: &[usize], fortran: bool, noise: &[u64]) -> ArrayD<A> {
    let len = shape.iter().product();
    let elements =
        noise.iter().cycle().map(|bits| bytemuck::pod_read_unaligned(&bits.to_le_bytes()[..size_of::<A>()]));
    Array::from_shape_vec(IxDyn(shape).set_f(fortran), elements.take(len).collect()).unwrap()
}

proptest! {
    #[test]
    fn every_view_is_a_layout(
        shape in prop::collection::vec(0..5_usize, 0..=4),
        fortran: bool,
        steps in prop::collection::vec((0..6_u8, any::<u8>(), any::<u8>(), any::<u8>()), 0..=4),
        repeat in 0..4_usize,
        noise in prop::collection::vec(any::<u64>(), 97),
    ) {
        hold::<u8>(&Clamp::new(50_u8, 180), &elements(&shape, fortran, &noise), &steps, repeat);
        hold::<i64>(&Clamp::at_least(-5_i64), &elements(&shape, fortran, &noise), &steps, repeat);
        let affine = Clamp::new(-1.0_f32, 1.0).with_affine(1.5, 0.25).unwrap().with_precision(Precision::Exact);
        hold::<f32>(&affine, &elements(&shape, fortran, &noise), &steps, repeat);
    }
}

#[test]
fn what_is_no_part_of_the_memory_is_refused() {
    let array = Array::from_shape_fn((4, 3), |(i, j)| i * 3 + j).mapv(|n| n as u32);
    let memory = array.as_slice_memory_order().unwrap();
    let outside = |memory: &[u32], view: &ArrayRef<u32, _>| match Layout::of_view(memory, view) {
        Err(Error::Argument(Refusal { argument: "memory", value, .. })) => {
            let numbers: Vec<i128> = value.split(' ').filter_map(|word| word.parse().ok()).collect();
            let [len, first] = numbers[..] else { panic!("{value}") };
            (first, len)
        }
        other => panic!("{other:?}"),
    };
    // One element short at the end, then at the start, then reversed so that only the last index is outside.
    assert_eq!(outside(&memory[..11], &array), (0, 11));
    assert_eq!(outside(&memory[1..], &array), (-4, 11));
    assert_eq!(outside(&memory[1..], &part(&array, [(0, None, -1); 2])), (40, 11));
    outside(memory, &array.clone());
    outside(&[], &array);
    assert!(Layout::of_view(&memory[3..], &part(&array, [(1, None, 1), (0, None, 1)])).is_ok());
    // A view without elements lies in any memory.
    assert!(Layout::of_view(&[], &part(&array, [(2, Some(2), 1), (0, None, 1)])).is_ok());

    let error = Layout::of_view(&memory[..11], &array).unwrap_err().to_string();
    let said = "11 elements do not hold the view of shape [4, 3] with strides [3, 1], whose first element lies 0 bytes";
    assert!(error.contains(said), "{error}");
}

#[test]
fn a_view_back_needs_the_memory_and_a_count() {
    let rows = Layout::strided(&[2, 3], &[-4, 1], 4).unwrap();
    let short = rows.array_view(&[0_u8; 6]).unwrap_err();
    assert_eq!(short.to_string(), "memory: 6 elements given; 7 needed");
    assert_eq!(
        rows.array_view(&[0_u8, 1, 2, 3, 4, 5, 6]).unwrap(),
        ndarray::array![[4, 5, 6], [0, 1, 2]].into_dyn()
    );

    let huge = Layout::packed(&[1]).unwrap().broadcast_to(&[usize::MAX]).unwrap();
    let refused = huge.array_view(&[0_u8]).unwrap_err();
    assert!(refused.to_string().contains("more elements than this platform can count"), "{refused}");
    // Strides along dimensions with fewer than two elements.
    let single = Layout::strided(&[1, 2], &[isize::MIN, -1], 1).unwrap();
    assert_eq!(single.array_view(&[7_u8, 8]).unwrap(), ndarray::array![[8, 7]].into_dyn());
    let empty = Layout::strided(&[0, 5], &[isize::MIN, isize::MAX], 9).unwrap();
    assert_eq!(empty.array_view::<u8>(&[]).unwrap().shape(), [0, 5]);
}
