//! A device, and the one check that most tests end in.

pub use clamp_testing::Place;
use wgpu_clamp::{Clamper, Clamps, DType, Host, Layout, Operands, Tensor, View, verify, wgpu};

/// A device with `Limits::downlevel_defaults()`. The browser may raise them to its own defaults.
pub struct Gpu {
    pub host: Host,
    scopes: [wgpu::ErrorScopeGuard; 3],
}

impl Gpu {
    pub async fn open() -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await;
        let descriptor = wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        };
        let adapter = adapter.expect("a browser with WebGPU");
        let (device, queue) = adapter.request_device(&descriptor).await.unwrap();
        let host = Host::new(&Clamper::new(&device).unwrap(), &queue);
        let filters =
            [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation];
        Self { host, scopes: filters.map(|filter| device.push_error_scope(filter)) }
    }

    pub fn device(&self) -> &wgpu::Device {
        self.host.clamper().device()
    }

    /// Fails if WebGPU has reported an error. On the web, errors come later than the calls, which do not return them.
    pub async fn close(self) {
        for scope in self.scopes.into_iter().rev() {
            if let Some(error) = scope.pop().await {
                panic!("{error}");
            }
        }
    }
}

/// Clamps from `src_layout` to `dst_layout` on the GPU and compares the whole buffers with the reference. In one
/// buffer, `dst` is ignored.
pub async fn check<'c>(
    gpu: &Gpu,
    clamps: impl Into<Clamps<'c>>,
    (src_layout, src): (&Layout, &[u8]),
    (dst_layout, dst): (&Layout, &[u8]),
    place: Place,
) {
    let clamps = clamps.into();
    let src_tensor = buffer(gpu, src);
    let (dst, dst_tensor) = match place {
        Place::Apart => (dst, buffer(gpu, dst)),
        Place::Behind | Place::Same => (src, src_tensor.clone()),
    };
    // Without a channel there is no element, and any dtype will do.
    let dtypes = clamps.as_slice().first().map(|clamp| (clamp.source(), clamp.dtype()));
    let (source, dtype) = dtypes.unwrap_or((DType::U8, DType::U8));
    let operands = Operands::new(
        View::new(src_tensor.buffer(), source, *src_layout),
        View::new(dst_tensor.buffer(), dtype, *dst_layout),
    );
    let case = || format!("{clamps:?}\n{src_layout:?}\n{dst_layout:?}\n{place:?}");
    if let Err(error) = gpu.host.submit(clamps, operands) {
        panic!("{error}\n{}", case());
    }
    let after = dst_tensor.read_bytes().await.unwrap();
    let report = verify::check(
        clamps,
        verify::Buffers { src_layout, src, dst_layout, dst_before: dst, dst_after: &after },
    )
    .unwrap();
    assert!(report.passed(), "{report}\n{}", case());
    if place == Place::Apart {
        assert!(src_tensor.read_bytes().await.unwrap() == src, "the source changed\n{}", case());
    }
}

/// A buffer with these bytes.
pub fn buffer(gpu: &Gpu, bytes: &[u8]) -> Tensor {
    Tensor::upload_bytes(&gpu.host, DType::U8, &[bytes.len()], bytes).unwrap()
}

pub fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}
