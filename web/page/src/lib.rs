//! The page's interface to the library: a device, a picture on it, and the clamp of the picture.

#![cfg(target_arch = "wasm32")]

mod check;

use wasm_bindgen::prelude::{JsError, wasm_bindgen};
use wgpu_clamp::{Clamp, Error, Host, Layout, Operands, Tensor, View, reference, verify};

/// A pixel of a canvas: red, green, blue and alpha, a byte each.
const PIXEL: usize = 4;

/// The numbers of the sliders.
#[wasm_bindgen]
#[derive(Clone, Copy)]
pub struct Levels {
    clamp: Clamp,
}

#[wasm_bindgen]
impl Levels {
    /// `max(min, min(x * scale + bias, max))`.
    ///
    /// # Errors
    ///
    /// `scale` or `bias` is not finite.
    #[wasm_bindgen(constructor)]
    pub fn new(min: u8, max: u8, scale: f32, bias: f32) -> Result<Self, JsError> {
        Ok(Self { clamp: Clamp::new(min, max).with_affine(scale, bias)? })
    }
}

/// Where pictures are clamped: on a device, or on the CPU where there is none.
#[wasm_bindgen]
pub struct Engine {
    /// The device, or why there is none.
    host: Result<Host, String>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens a device. A missing device is no error.
    pub async fn open() -> Self {
        Self { host: Host::open().await.map_err(|error| error.to_string()) }
    }

    /// An engine without a device, for a `reason`.
    #[must_use]
    pub fn without_device(reason: String) -> Self {
        Self { host: Err(reason) }
    }

    /// Why there is no device. `None` if there is one.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.host.as_ref().err().cloned()
    }

    /// Makes a picture of `rgba` bytes. If there is a device, uploads the bytes, once for all clamps.
    ///
    /// # Errors
    ///
    /// The device has no memory for it.
    pub fn picture(&self, rgba: Vec<u8>) -> Result<Picture, JsError> {
        let device = match &self.host {
            Err(_) => None,
            Ok(host) => {
                let upload = || Tensor::upload(host, &[rgba.len()], &rgba);
                let (src, dst) = (upload()?, upload()?);
                Some(Device { host: host.clone(), src, dst })
            }
        };
        Ok(Picture { rgba, device })
    }
}

/// A picture, and where it lies on the device.
#[wasm_bindgen]
pub struct Picture {
    rgba: Vec<u8>,
    device: Option<Device>,
}

struct Device {
    host: Host,
    src: Tensor,
    /// Starts as a copy of the picture. A clamp leaves its alpha alone.
    dst: Tensor,
}

impl Drop for Device {
    /// Frees the device's memory at once. The browser sees only small handles, so it might collect them late.
    fn drop(&mut self) {
        self.src.buffer().destroy();
        self.dst.buffer().destroy();
    }
}

/// The layout of `pixels` pixels without alpha: three elements of every four.
fn layout(pixels: usize) -> Result<Layout, Error> {
    Layout::packed(&[pixels, PIXEL])?.slice(1, 0..PIXEL - 1)
}

#[wasm_bindgen]
impl Picture {
    /// Clamps the picture on the device and reads it back. Without a device, the reference clamps it.
    ///
    /// # Errors
    ///
    /// The device is lost, or has no memory left.
    pub async fn clamp(&self, levels: &Levels) -> Result<Vec<u8>, JsError> {
        let layout = layout(self.rgba.len() / PIXEL)?;
        let Some(Device { host, src, dst }) = self.device.as_ref() else {
            let mut after = self.rgba.clone();
            reference::apply_in_place(levels.clamp, &layout, &mut after)?;
            return Ok(after);
        };
        let view = |tensor| View::of::<u8>(Tensor::buffer(tensor), layout);
        host.submit(levels.clamp, Operands::new(view(src), view(dst)))?;
        Ok(dst.read().await?)
    }

    /// Counts the elements of `after`, a result of [`clamp`](Self::clamp), that agree with the reference bit for bit,
    /// in the pixels from `first` to `end`.
    ///
    /// # Errors
    ///
    /// There are no such pixels.
    pub fn agreeing(
        &self,
        levels: &Levels,
        after: &[u8],
        first: usize,
        end: usize,
    ) -> Result<usize, JsError> {
        let layout = layout(end - first)?;
        let part = |bytes: &[u8]| bytes.get(first * PIXEL..end * PIXEL).map(<[u8]>::to_vec);
        let (Some(before), Some(after)) = (part(&self.rgba), part(after)) else {
            return Err(JsError::new("the picture has no such pixels"));
        };
        let report = verify::check(
            levels.clamp,
            verify::Buffers {
                src_layout: &layout,
                src: &before,
                dst_layout: &layout,
                dst_before: &before,
                dst_after: &after,
            },
        )?;
        // A changed alpha counts as a wrong element.
        Ok(report.matching - usize::from(report.stray.is_some() && report.matching > 0))
    }
}
