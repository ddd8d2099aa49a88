//! Every specialization on every value, or on edges and random values: a million on the route `Run`, an eighth of
//! them on others. A route is a layout that leads to one kind of block.

use wgpu_clamp::testing::Route;
use wgpu_clamp::{Clamp, DType, Lanes, Number, Plan, Precision};

use crate::harness::{Gpu, Place, check, devices, exhaustive};
use crate::random::Random;
use crate::values::{affine_pairs, elements, plain_clamps, scalar_of, with_precisions};

/// Random patterns for the wider types: a million, or four with `cargo xtask test --exhaustive`.
fn random_patterns() -> usize {
    if exhaustive() { 4_000_000 } else { 1_000_000 }
}

/// Clamps the elements in the layouts of a route, and compares the result with the reference.
fn run(gpu: &Gpu, clamp: &Clamp, elements: &[u64], route: Route, place: Place) {
    let dtype = clamp.dtype();
    // Enough elements for the block kernel.
    let count = if route == Route::Run { elements.len() } else { elements.len().max(4000) };
    let (src, dst) = route.placed(count, place, [dtype; 2]).unwrap();
    let mut src_bytes = Route::source(&src, dtype, elements);
    let dst_bytes = vec![0xa5; dst.required_bytes(dtype) as usize];
    if place != Place::Apart {
        src_bytes.resize(src_bytes.len().max(dst_bytes.len()), 0xa5);
    }
    let limits = gpu.clamper().limits();
    let plan = Plan::new(clamp, &src, &dst, limits).unwrap().to_string();
    // The kernel `gather` takes elements that are too few for blocks. With one buffer it may take spread groups too, and
    // on a GPU elements that each lie in a packet of their own.
    let alone = matches!(route, Route::Strided | Route::Spread(1)) && dtype.bits() == 64;
    let alone = alone && limits.lanes == Lanes::InStep;
    let is_block = count >= 1000 && (place != Place::Behind || !matches!(route, Route::Spread(_))) && !alone;
    assert!(plan.contains(route.kernel()) || !is_block, "{plan}");
    assert!(!by_hardware(gpu, clamp) || plan.contains("fast affine step"), "{plan}");
    check(gpu, clamp, (&src, &src_bytes), (&dst, &dst_bytes), place);
}

/// Whether the clamp's affine step uses the device's optional f64 features.
fn by_hardware(gpu: &Gpu, clamp: &Clamp) -> bool {
    let fast = clamp.scale() != Number::Absent && clamp.precision() == Precision::Fast;
    fast && clamp.dtype() == DType::F64 && gpu.has_f64()
}

/// Clamps without an affine step, and with one in each precision. Bounds, if any, replace some elements.
fn main_clamps(dtype: DType) -> Vec<Clamp> {
    let (min, max) = if dtype.is_float() {
        (-3.25, 1000.0)
    } else if dtype.is_signed_integer() {
        (-100.0, 120.0)
    } else {
        (7.0, 240.0)
    };
    let bound = |x| scalar_of(dtype, x);
    let plain = Clamp::unbounded(dtype).with_bounds(bound(min), bound(max)).unwrap();
    // Without bounds, which could hide results of the affine step.
    let free = Clamp::unbounded(dtype);
    let affine = if dtype.is_float() { (1.1, -0.37) } else { (0.73, 5.6) };
    let mut clamps = [vec![plain], with_precisions(free, affine)].concat();
    if dtype.is_float() {
        // No shortcut of the arithmetic applies: Min replaces zeros, and the scale changes the sign of infinities.
        let positive = Clamp::unbounded(dtype).with_bounds(bound(1.5), bound(1000.0)).unwrap();
        clamps.push(positive.with_affine(-0.73, 5.6).unwrap());
    }
    clamps
}

/// The devices on which to test the dtype.
fn devices_for(dtype: DType) -> impl Iterator<Item = &'static Gpu> {
    devices().filter(move |gpu| gpu.dtypes().contains(&dtype))
}

fn every_route(dtype: DType) {
    for gpu in devices_for(dtype) {
        for (n, clamp) in main_clamps(dtype).iter().enumerate() {
            let elements = elements(clamp, random_patterns(), 7 + n as u64);
            // All routes share their arithmetic, so all but `Run` leave out most random elements, which come last.
            let left_out = if dtype.bits() <= 16 || exhaustive() { 0 } else { random_patterns() / 8 * 7 };
            let plain =
                |route: &Route| !route.is_picture() && route.channels().is_none() && !route.has_slots();
            for route in Route::ALL.into_iter().filter(|route| route.suits(dtype)).filter(plain) {
                for &place in route.places(dtype, dtype) {
                    let is_run = (route, place) == (Route::Run, Place::Apart);
                    let count = elements.len() - if is_run { 0 } else { left_out };
                    run(gpu, clamp, &elements[..count], route, place);
                }
            }
        }
    }
}

/// Scales and biases that are hard for f64: subnormal numbers, products and results, zeros of either sign, overflows.
const F64_PAIRS: [(f64, f64); 12] = [
    (1.5, 1e-310),
    (-0.75, -3e-320),
    (0.5, 0.0),
    (-0.5, -0.0),
    (f64::MIN_POSITIVE, 5e-324),
    (1e-310, -1e-308),
    (5e-324, -5e-324),
    (-1e-200, 2e-308),
    (0.0, -1e-310),
    (f64::MAX, -f64::MAX),
    (2.0, f64::MIN),
    (-1e308, 1e-320),
];

fn every_clamp(dtype: DType) {
    let free = Clamp::unbounded(dtype);
    let bound = |x| scalar_of(dtype, x);
    let bounded = Clamp::unbounded(dtype).with_bounds(bound(1.0), bound(100.0)).unwrap();
    let mut clamps = plain_clamps(dtype);
    for pair in affine_pairs(dtype) {
        clamps.extend(with_precisions(free, pair));
    }
    // Infinities and NaNs that the affine step makes or lets through meet the bounds and the NaN rule.
    for (n, clamp) in plain_clamps(dtype).into_iter().enumerate() {
        let pairs = [(-1.5, 1.0), (0.0, 2.0), (3e38, 0.5)];
        clamps.extend(with_precisions(clamp, pairs[n % pairs.len()]));
    }
    let mut rng = Random(u64::from(dtype.bits()));
    if dtype == DType::F64 {
        // Scales and biases with all 53 bits and any exponent. Elements around the root make the two terms cancel.
        let finite = |rng: &mut Random| {
            let mut numbers = std::iter::repeat_with(|| f64::from_bits(rng.bits()));
            numbers.find(|x| x.is_finite()).unwrap()
        };
        let random = (0..80).map(|n| {
            let scale = finite(&mut rng);
            let near = f64::from_bits((rng.bits() & !(0x7ff << 52)) | 1023 << 52);
            (scale, if n % 2 == 0 { -scale * near } else { finite(&mut rng) })
        });
        for (scale, bias) in random.chain(F64_PAIRS) {
            let clamp = free.with_scale_bias(scale, bias).unwrap();
            clamps.extend([clamp, clamp.with_precision(Precision::Exact)]);
        }
    }
    for _ in 0..60 {
        // Finite f32 around 1, with `spread` different exponents.
        let mut number = |spread: u64| loop {
            let exponent = 127 - spread / 2 + rng.bits() % spread;
            let bits = (rng.bits() as u32 & 0x807f_ffff) | (exponent as u32) << 23;
            let mantissa = [u32::MAX, 0xff80_0000, 0xfff0_0000][rng.below(3)];
            let x = f32::from_bits(bits & mantissa);
            if x.is_finite() {
                break x;
            }
        };
        let spread = [2, 30, 100, 254][(number(2).to_bits() & 3) as usize];
        let clamp = if number(2) > 0.0 { free } else { bounded };
        clamps.extend(with_precisions(clamp, (number(spread), number(spread))));
    }
    for gpu in devices_for(dtype) {
        for (n, clamp) in clamps.iter().enumerate() {
            let elements = elements(clamp, 2000, n as u64);
            run(gpu, clamp, &elements, if n % 8 == 0 { Route::Strided } else { Route::Run }, Place::Apart);
        }
    }
}

/// Sums that the last bits of a product decide. The product is about ±2: half of a large bias's last bit, so that it
/// decides a tie, or the opposite of a small bias, so that only the product's last bits remain.
#[test]
fn products_decide_ties_and_survive_cancellation() {
    let free = Clamp::unbounded(DType::F32).with_precision(Precision::Exact);
    let mut rng = Random(11);
    let mut clamps = Vec::new();
    while clamps.len() < 400 {
        // `scale * x` exceeds 2 by as little as two significands of 24 bits allow.
        let scale = (1 << 23) | (rng.bits() as u32 >> 9);
        let x = (1_u64 << 47).div_ceil(u64::from(scale)) as u32;
        let above = u64::from(x) * u64::from(scale) - (1 << 47);
        if x >= 1 << 24 || above == 0 || above >= 1 << 18 {
            continue;
        }
        let value = |significand: u32| f32::from_bits(0x3f80_0000 | (significand & 0x007f_ffff));
        let elements = [x - 1, x, x + 1].map(|x| [value(x), -value(x)]).as_flattened().to_vec();
        let elements: Vec<u64> = elements.into_iter().map(|x| x.to_bits().into()).collect();
        // The last bit of the large biases is 4; -2 cancels the product.
        for bias in [33_554_432.0, 33_554_436.0, 33_554_440.0, -33_554_436.0, -2.0, 2.0] {
            clamps.push((free.with_affine(value(scale), bias).unwrap(), elements.clone()));
        }
    }
    for gpu in devices_for(DType::F32) {
        for (clamp, elements) in &clamps {
            run(gpu, clamp, elements, Route::Run, Place::Apart);
        }
    }
}

macro_rules! per_dtype {
    ($($name:ident $dtype:ident)*) => {
        #[test]
        fn every_dtype_is_here() {
            assert_eq!([$(DType::$dtype),*], DType::ALL);
        }

        $(
        mod $name {
            #[test]
            fn every_specialization_agrees_with_the_reference() {
                super::every_route(wgpu_clamp::DType::$dtype);
            }

            #[test]
            fn every_kind_of_clamp_agrees_with_the_reference() {
                super::every_clamp(wgpu_clamp::DType::$dtype);
            }
        })*
    };
}

per_dtype! {
    f32 F32
    f16 F16
    bf16 BF16
    f64 F64
    i8 I8
    i16 I16
    i32 I32
    i64 I64
    u8 U8
    u16 U16
    u32 U32
    u64 U64
}
