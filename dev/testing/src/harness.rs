//! Adapters, buffers, and the comparison of results on a GPU.

use std::any::Any;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use wgpu_clamp::{Clamper, Clamps, DType, Host, Layout, Operands, Prepared, verify, wgpu};

/// A device with `Limits::downlevel_defaults()` and no feature, unless it was opened with others.
pub struct Gpu {
    /// The adapter, for messages.
    pub name: String,
    /// The adapter, to open further devices.
    pub adapter: wgpu::Adapter,
    /// The device and its queue.
    pub host: Host,
}

/// The features that F64 arithmetic in hardware needs.
pub const F64_FEATURES: wgpu::Features = wgpu::Features::SHADER_F64.union(wgpu::Features::SHADER_INT64);

impl Gpu {
    /// The host's device.
    pub fn device(&self) -> &wgpu::Device {
        self.host.clamper().device()
    }

    /// The host's clamper.
    pub fn clamper(&self) -> &Clamper {
        self.host.clamper()
    }

    /// The dtypes worth testing on this device: with `F64_FEATURES` only F64, else all.
    pub fn dtypes(&self) -> &'static [DType] {
        if self.has_f64() { &[DType::F64] } else { DType::ALL }
    }

    /// Whether the device was created with [`F64_FEATURES`].
    pub fn has_f64(&self) -> bool {
        self.device().features().contains(F64_FEATURES)
    }

    /// Whether the adapter has [`F64_FEATURES`] on Vulkan, where naga writes f64 arithmetic correctly.
    pub fn offers_f64(&self) -> bool {
        let vulkan = self.adapter.get_info().backend == wgpu::Backend::Vulkan;
        vulkan && self.adapter.features().contains(F64_FEATURES)
    }

    /// A new device of the adapter, for tests that count its objects, destroy it or wait for it.
    pub fn fresh(&self) -> Self {
        self.limited(|_| ())
    }

    /// A new device with the same features. `change` is applied to `Limits::downlevel_defaults()`.
    pub fn limited(&self, change: impl FnOnce(&mut wgpu::Limits)) -> Self {
        let mut limits = wgpu::Limits::downlevel_defaults();
        change(&mut limits);
        with_features(&self.adapter, self.device().features(), limits)
    }

    /// Waits until no other test uses GL, if this is a GL device. All GL devices of a process share one context, whose lock
    /// wgpu gives up after six seconds with a panic, and Mesa computes while it holds this lock. A thread may take
    /// several turns at once.
    pub fn turn(&self) -> Option<ReentrantMutexGuard<'static, ()>> {
        static GL: ReentrantMutex<()> = ReentrantMutex::new(());
        (self.adapter.get_info().backend == wgpu::Backend::Gl).then(|| GL.lock())
    }

    /// A buffer of zeros.
    pub fn zeros(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        self.device().create_buffer(&descriptor)
    }

    /// An empty encoder.
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Prepared clamps, recorded in one pass.
    pub fn recorded(&self, prepared: &[&Prepared]) -> wgpu::CommandBuffer {
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for prepared in prepared {
            prepared.record(&mut pass);
        }
        drop(pass);
        encoder.finish()
    }

    /// Records prepared clamps in one pass and submits them.
    pub fn run(&self, prepared: &[&Prepared]) {
        self.host.queue().submit([self.recorded(prepared)]);
    }

    /// Waits for all submissions. wgpu's GL gives up after two seconds, so this asks again.
    pub fn wait(&self) {
        let start = Instant::now();
        while let Err(error) = self.device().poll(wgpu::PollType::wait_indefinitely()) {
            let waited = start.elapsed();
            let again = matches!(error, wgpu::PollError::Timeout) && waited < Duration::from_secs(60);
            assert!(again, "{error} after {waited:?} on {}", self.name);
        }
    }
}

/// Devices, each with its [turn](Gpu::turn), which ends where the iterator goes on or is dropped.
pub struct Turns {
    devices: std::slice::Iter<'static, Gpu>,
    turn: Option<ReentrantMutexGuard<'static, ()>>,
}

impl Turns {
    /// The turns of these devices.
    pub fn of(devices: &'static [Gpu]) -> Self {
        Self { devices: devices.iter(), turn: None }
    }
}

impl Iterator for Turns {
    type Item = &'static Gpu;

    fn next(&mut self) -> Option<&'static Gpu> {
        self.turn = None;
        let gpu = self.devices.next()?;
        self.turn = gpu.turn();
        Some(gpu)
    }
}

/// One device per adapter, in turns. Panics if there is no adapter, or if a backend of `WGPU_CLAMP_REQUIRE` is missing.
pub fn gpus() -> Turns {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    Turns::of(GPUS.get_or_init(|| pollster::block_on(open_all())))
}

/// One more device for each adapter that has [`F64_FEATURES`].
pub fn f64_gpus() -> &'static [Gpu] {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    GPUS.get_or_init(|| {
        let open = |gpu: &Gpu| {
            let info = gpu.adapter.get_info();
            let lavapipe = info.backend == wgpu::Backend::Vulkan && info.driver == "llvmpipe";
            assert!(!lavapipe || gpu.offers_f64(), "lavapipe must offer f64 arithmetic");
            if !gpu.offers_f64() {
                tell(&format!("no f64 arithmetic: {}", gpu.name));
                return None;
            }
            Some(with_features(&gpu.adapter, F64_FEATURES, wgpu::Limits::downlevel_defaults()))
        };
        gpus().filter_map(open).collect()
    })
}

/// All devices of [`gpus`] and [`f64_gpus`].
pub fn devices() -> impl Iterator<Item = &'static Gpu> {
    gpus().chain(f64_gpus())
}

async fn open_all() -> Vec<Gpu> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    let wanted = std::env::var("WGPU_ADAPTER_NAME").unwrap_or_default().to_lowercase();
    let mut gpus = Vec::new();
    let mut found = Vec::new();
    for adapter in wgpu::Instance::new(descriptor).enumerate_adapters(backends).await {
        let info = adapter.get_info();
        if !info.name.to_lowercase().contains(&wanted) {
            continue;
        }
        let gpu = with_limits(&adapter, wgpu::Limits::downlevel_defaults());
        tell(&format!("adapter: {}", gpu.name));
        found.push(info.backend.to_str());
        gpus.push(gpu);
    }
    assert!(!gpus.is_empty(), "no adapter; `cargo xtask test` installs a software driver where it can");
    if let Ok(required) = std::env::var("WGPU_CLAMP_REQUIRE") {
        for backend in required.split(',') {
            assert!(found.contains(&backend), "no adapter for the backend {backend}; found {found:?}");
        }
    }
    gpus
}

/// Writes a line to the standard output.
#[expect(clippy::explicit_write, reason = "the test runner swallows what `println` writes")]
fn tell(line: &str) {
    writeln!(std::io::stdout(), "{line}").unwrap();
}

/// Whether tests may take minutes each, as with `cargo xtask test --exhaustive`.
pub fn exhaustive() -> bool {
    std::env::var_os("WGPU_CLAMP_EXHAUSTIVE").is_some_and(|value| value == "1")
}

/// A new device without features.
pub fn with_limits(adapter: &wgpu::Adapter, limits: wgpu::Limits) -> Gpu {
    with_features(adapter, wgpu::Features::empty(), limits)
}

/// A new device. GL devices convert F16 by their own instructions, if these are right; the others do not.
pub fn with_features(
    adapter: &wgpu::Adapter,
    required_features: wgpu::Features,
    required_limits: wgpu::Limits,
) -> Gpu {
    let descriptor = wgpu::DeviceDescriptor { required_features, required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let mut host = Host::new(&Clamper::new(&device).unwrap(), &queue);
    if adapter.get_info().backend == wgpu::Backend::Gl {
        let found = pollster::block_on(host.check_f16()).unwrap();
        host = Host::new(&host.clamper().clone().with_f16_conversions(found), &queue);
    }
    Gpu { name: host.description(), adapter: adapter.clone(), host }
}

/// Returns true in a child process that runs only `test`, named by its path. Elsewhere runs this child process, which
/// must succeed, and returns false.
///
/// On some machines Mesa's GL crashes when a device is destroyed while other threads use their devices.
pub fn alone(test: &str) -> bool {
    const CHILD: &str = "WGPU_CLAMP_TEST_ALONE";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let output = std::process::Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    false
}

/// Calls `run` with a new device of each adapter, in a process that runs only `test` (see [`alone`]).
pub fn alone_on_each(test: &str, run: impl Fn(Gpu)) {
    if alone(test) {
        for gpu in gpus() {
            run(gpu.fresh());
        }
    }
}

/// Runs a case of a property. If it panics, says at once how, when and where: the runner shows only the last of all
/// cases to which the first one shrinks.
pub fn told<T>(case: impl FnOnce() -> String, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|said| {
        tell(&format!("after {:?}: {}\n{}", start.elapsed(), words(&said), case()));
        resume_unwind(said)
    })
}

/// The message of a panic.
fn words(said: &Box<dyn Any + Send>) -> &str {
    let owned = said.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| said.downcast_ref::<&str>().copied()).unwrap_or_default()
}

/// [`Layout::packed`].
pub fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

/// [`Layout::strided`].
pub fn strided(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::strided(shape, strides, offset).unwrap()
}

/// A buffer that holds the given bytes.
pub fn buffer(gpu: &Gpu, bytes: &[u8]) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage,
        mapped_at_creation: true,
    });
    buffer.get_mapped_range_mut(..).unwrap().copy_from_slice(bytes);
    buffer.unmap();
    buffer
}

/// Reads all bytes of a buffer.
pub fn read(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u8> {
    let staging = gpu.zeros(buffer.size(), wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let mut encoder = gpu.encoder();
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
    gpu.host.queue().submit([encoder.finish()]);
    // Another thread's poll may call back, so a panic there would not be this test's.
    let (sender, receiver) = mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
    gpu.wait();
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Ok(Ok(())) => staging.get_mapped_range(..).unwrap().to_vec(),
        other => panic!("a buffer of {} bytes is not mapped: {other:?} on {}", buffer.size(), gpu.name),
    }
}

/// Compares the whole destination buffer with the reference, and asserts that a source in another buffer is
/// unchanged. `src` and `dst_before` are the bytes before the call. `clamps` give by value the numbers that the call
/// read from slots on the GPU.
#[track_caller]
pub fn compare<'c>(
    gpu: &Gpu,
    clamps: impl Into<Clamps<'c>>,
    operands: Operands<'_>,
    src: &[u8],
    dst_before: &[u8],
) {
    let (clamps, from, to) = (clamps.into(), operands.src(), operands.dst());
    let (src_layout, dst_layout) = (&from.layout(), &to.layout());
    let dst_after = &read(gpu, to.buffer());
    let buffers = verify::Buffers { src_layout, src, dst_layout, dst_before, dst_after };
    let report = verify::check(clamps, buffers).unwrap();
    let case = || format!("{clamps:?}\n{src_layout:?}\n{dst_layout:?}\non {}", gpu.name);
    assert!(report.passed(), "{report}\n{}", case());
    if from.buffer() != to.buffer() {
        assert!(read(gpu, from.buffer()) == src, "the source changed\n{}", case());
    }
}
