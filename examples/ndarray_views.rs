//! Views of ndarray, clamped on the GPU: `cargo run --features ndarray --example ndarray_views`.
//!
//! A view is the memory of its array and a layout. The memory is uploaded unchanged. Transposes, reversals and slices
//! are strides, which the GPU follows, so the host never reorders elements. Three views:
//!
//! 1. a transposed matrix, into a new array;
//! 2. every second column of the matrix, from right to left;
//! 3. one channel of an interleaved picture, in place: the other channels keep their bytes.

use wgpu_clamp::ndarray::{Array2, Array3, ArrayRef, Axis, Dimension, Slice};
use wgpu_clamp::{Clamp, Element, Host, Layout, Operands, Tensor, View, reference};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let host = Host::open_blocking()?;
    println!("on {}", host.description());
    matrix(&host)?;
    picture(&host)
}

fn matrix(host: &Host) -> Result<(), Box<dyn std::error::Error>> {
    let matrix = Array2::from_shape_fn((300, 200), |(row, column)| f32::from(row as i16 - column as i16));
    let clamp = Clamp::new(-50.0_f32, 100.0);
    // The array has no gaps, so this is all of its memory. `Layout::of_view` finds the elements of a view in it.
    let memory = matrix.as_slice_memory_order().ok_or("the matrix has gaps")?;
    let uploaded = Tensor::upload(host, &[memory.len()], memory)?;

    // `s![.., ..;-2]` means the same, but expands to an attribute that this package's `forbid(unsafe_code)` refuses.
    let columns = matrix.slice_axis(Axis(1), Slice::from(..).step_by(-2));
    for (name, view) in [("transposed", matrix.t()), ("every second column, from right to left", columns)] {
        let layout = Layout::of_view(memory, &view)?;
        let result = Tensor::zeros(host, f32::DTYPE, view.shape())?;
        let view_of_array = View::of::<f32>(uploaded.buffer(), layout);
        host.submit(clamp, Operands::new(view_of_array, result.view()))?;
        let result = Array2::from_shape_vec(view.dim(), result.read_blocking::<f32>()?)?;
        println!("{name}: {layout}");
        same(&result, &view.mapv(|x| expected(&clamp, x)))?;
    }
    Ok(())
}

fn picture(host: &Host) -> Result<(), Box<dyn std::error::Error>> {
    let mut picture = Array3::from_shape_fn((48, 64, 3), |(y, x, channel)| (5 * y + x + 80 * channel) as u8);
    let clamp = Clamp::new(100_u8, 200);
    let mut by_ndarray = picture.clone();
    by_ndarray.index_axis_mut(Axis(2), 1).mapv_inplace(|x| expected(&clamp, x));

    let memory = picture.as_slice_memory_order().ok_or("the picture has gaps")?;
    let green = Layout::of_view(memory, &picture.index_axis(Axis(2), 1))?;
    let pixels = Tensor::upload(host, &[memory.len()], memory)?;
    host.submit(clamp, Operands::in_place(View::of::<u8>(pixels.buffer(), green)))?;
    // The whole picture is read back into its array.
    let memory = picture.as_slice_memory_order_mut().ok_or("the picture has gaps")?;
    memory.copy_from_slice(&pixels.read_blocking::<u8>()?);
    println!("green: {green}");
    Ok(same(&picture, &by_ndarray)?)
}

/// The CPU reference's result for an element, for ndarray's `mapv`.
fn expected<T: Element>(clamp: &Clamp, x: T) -> T {
    let mut y = [x];
    reference::clamp_slice_in_place(clamp, &mut y).expect("the clamp is of T, and its bounds are values");
    y[0]
}

/// Compares two arrays bit by bit.
fn same<T: Element, D: Dimension>(got: &ArrayRef<T, D>, expected: &ArrayRef<T, D>) -> Result<(), String> {
    if let Some(n) = got.iter().zip(expected).position(|(a, b)| a.to_bits64() != b.to_bits64()) {
        return Err(format!("element {n} differs from the reference's result"));
    }
    println!("  {} elements, each equal to the reference's result", got.len());
    Ok(())
}
