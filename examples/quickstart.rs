//! Clamps host memory on whatever GPU there is: `cargo run --example quickstart`.

use wgpu_clamp::{Clamp, Host};

fn main() -> Result<(), wgpu_clamp::Error> {
    // For programs without a device. Others bring theirs: `Host::new(&Clamper::new(&device)?, &queue)`.
    let host = Host::open_blocking()?;

    // Audio, louder by half, with a limit: max(-20000, min(x * 1.5 + 0, 20000)). Nothing wraps around.
    let louder = Clamp::new(-20_000_i16, 20_000).with_affine(1.5, 0.0)?;
    let src = [-30_000_i16, -101, 0, 6_000, 30_000];
    let mut dst = [0_i16; 5];
    host.clamp_slice(louder, &src, &mut dst).run_blocking()?;

    println!("{src:?} became {dst:?} on {}", host.description());
    assert_eq!(dst, [-20_000, -151, 0, 9_000, 20_000]);
    Ok(())
}
