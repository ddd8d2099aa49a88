//! Inside Bevy, vello and egui: where the device is, whose encoder takes the clamp, and who submits.
//!
//! All three use wgpu 30, as this crate does, so Cargo builds one wgpu, with the backends that the framework has chosen.
//! Leave this crate's backends off. A [`Clamper`] needs the framework's device and nothing else. Everything below is two
//! functions of your program: one when the device is there, one in each frame.
//!
//! ```
//! use wgpu_clamp::{Clamp, Clamper, DType, Error, Layout, Operands, Plan, Prepared, View, wgpu};
//!
//! /// What a plugin or a widget keeps.
//! struct Normalise {
//!     clamper: Clamper,
//!     clamp: Clamp,
//!     rgb: Layout,
//!     planes: Layout,
//!     prepared: Option<Prepared>,
//! }
//!
//! impl Normalise {
//!     /// Once, with the framework's device. `size` and `bytes_per_row` are those of the copied texture.
//!     fn new(device: &wgpu::Device, size: [u32; 2], bytes_per_row: u32) -> Result<Self, Error> {
//!         let clamper = Clamper::new(device)?;
//!         let clamp = Clamp::new(0.0_f32, 1.0).with_source(DType::U8)?.with_affine(1.0 / 255.0, 0.0)?;
//!         let rgb = Layout::texels(size, bytes_per_row, 4, DType::U8)?.slice(0, 0..3)?;
//!         let planes = Layout::packed(rgb.shape())?;
//!         // No frame compiles in this crate; a driver may defer a part. On native this may run on another thread: a
//!         // `Clamper` is `Clone + Send`. A frame that comes before its `JoinHandle::is_finished` goes without the clamp.
//!         clamper.compile(&Plan::new(clamp, &rgb, &planes, clamper.limits())?)?;
//!         Ok(Self { clamper, clamp, rgb, planes, prepared: None })
//!     }
//!
//!     /// In each frame, with the framework's encoder: the texture's copy in `pixels` becomes planes of f32 in `tensor`.
//!     fn record(
//!         &mut self,
//!         encoder: &mut wgpu::CommandEncoder,
//!         frame: &wgpu::Texture, // COPY_SRC
//!         pixels: &wgpu::Buffer, // STORAGE and COPY_DST
//!         tensor: &wgpu::Buffer, // STORAGE
//!     ) -> Result<(), Error> {
//!         let src = View::of::<u8>(pixels, self.rgb);
//!         let operands = Operands::new(src, View::of::<f32>(tensor, self.planes)).with_label("normalise");
//!         // Other buffers in each frame, or other parts of one at multiples of 256 bytes: only bind groups are made.
//!         let prepared = match &self.prepared {
//!             Some(prepared) => prepared.rebind(operands)?,
//!             None => self.clamper.prepare(self.clamp, operands)?,
//!         };
//!         encoder.copy_texture_to_buffer(frame.as_image_copy(), src.texel_copy()?, frame.size());
//!         prepared.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
//!         self.prepared = Some(prepared);
//!         Ok(())
//!     }
//! }
//! ```
//!
//! | | device | encoder | submits |
//! | --- | --- | --- | --- |
//! | Bevy 0.20 | `Res<RenderDevice>` of the render world: `wgpu_device()` | `RenderContext::command_encoder()` | Bevy, in the set `RenderGraphSystems::Submit`, if `bevy_core_pipeline` is there |
//! | vello 0.11 | your program's, as passed to `Renderer::new` | one of your own | you, after `render_to_texture`, which submits by itself |
//! | egui 0.37 (`egui-wgpu`, eframe) | `RenderState::device`, also an argument of `CallbackTrait::prepare` | the argument `egui_encoder` | eframe, after it has painted |
//!
//! # Bevy
//!
//! - Make the first part a resource of the render world, in a system of the schedule `RenderStartup`, which runs again when Bevy
//!   takes another device: a [`Clamper`] belongs to one. The first frame follows at once, so a thread that compiles ahead saves
//!   a stall only if that frame goes without the clamp.
//! - Record in a system of the schedule `RenderGraph`, in the set `RenderGraphSystems::Render`, with the parameter
//!   `RenderContext`. Bevy finishes and submits the encoders in the order of the systems, so order your system behind the one
//!   that draws what you read.
//! - `bevy_core_pipeline` submits the encoders. An app without it needs a system in `RenderGraphSystems::Submit` that calls
//!   `FlushCommands::flush`; else nothing is submitted, and nothing says so.
//! - [`Host::submit`] and `RenderQueue::submit` run **before** the encoders that Bevy has pending. If your submission reads what
//!   they draw, call `FlushCommands::flush`, a system parameter too, first.
//! - A readback ([`Tensor::read`]) polls the device on a thread of its own, which Bevy's polling does not mind. It waits for
//!   what has been submitted: read in a later frame, not in the system that records.
//!
//! # vello
//!
//! - `Renderer::render_to_texture` takes device and queue and submits at once. The queue keeps the order, so an encoder that you
//!   submit afterwards sees the picture. The other way round, submit the clamp before you render with what it wrote.
//! - Its texture is `Rgba8Unorm` with `STORAGE_BINDING`. Add `COPY_SRC` to copy it out, `COPY_DST` to copy results in.
//!
//! # egui
//!
//! - Keep the first part in `CallbackResources`, from where `prepare` and `paint` take it.
//! - `CallbackTrait::prepare` comes before egui's render pass, in the same encoder: record there, and draw with the result in
//!   `paint`. A clamp within `paint` is impossible, since that is a render pass.
//! - Without eframe, whoever calls `Renderer::update_buffers` submits the encoder.
//!
//! A mistake in a clamp is an [`Error`](crate::Error) of `prepare` or `rebind`, with nothing recorded. What wgpu alone
//! checks makes the framework's encoder invalid: in the example, a texture larger than the layout, after a window was
//! resized, or `pixels` without `COPY_DST`. Make the layouts anew when the size changes. The example is compiled as a test
//! of this crate; programs inside Bevy 0.20.1 and vello 0.11.0 ran (2026-11-29), the names of egui-wgpu
//! 0.37.0 were read, and no test follows them.

#[cfg(doc)]
use crate::{Clamper, Host, Tensor};
