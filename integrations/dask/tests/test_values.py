"""Compares results with NumPy where the rules agree, with exact arithmetic, and with the reference."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import wgpu_clamp

INTEGERS = [np.dtype(f"{sign}{size}") for sign in "iu" for size in (1, 2, 4, 8)]
FLOATS = [np.dtype(name) for name in ("float16", "float32", "float64", ml_dtypes.bfloat16)]
CONVERTIBLE = [np.dtype(name) for name in ("u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4", ml_dtypes.bfloat16)]

LAYOUTS = {
    "C": lambda array: array,
    "Fortran": np.asfortranarray,
    "transposed": lambda array: array.T,
    "reversed": lambda array: array[::-1, ::-1],
    "sliced": lambda array: array[1::2, 3:-1:3],
    "column": lambda array: array[:, 4],
    "broadcast": lambda array: np.broadcast_to(array[2], (5, *array[2].shape)),
    "0-d": lambda array: array[1, 1:2].reshape(()),
    "scalar": lambda array: array[1, 1],
    "empty": lambda array: array[:0],
    "nine dimensions": lambda array: array[:4, :32].reshape((2,) * 7 + (1, 1)),
}


def name(value):
    return str(value)


def noise(dtype, shape=(13, 37), seed=0):
    """Random bits. Every pattern is equally likely, so NaNs and infinities occur."""
    size = np.prod(shape) * np.dtype(dtype).itemsize
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8).view(dtype).reshape(shape)


def limits(dtype):
    """Bounds of the dtype that replace some elements and leave others."""
    if dtype in FLOATS:
        return -2.5, 100.5
    info = np.iinfo(dtype)
    return info.min // 2 + 3, info.max // 2 - 5


def bits(array):
    return array.view(f"u{array.dtype.itemsize}")


def assert_same_bits(actual, expected):
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(bits(actual), bits(expected))


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=name)
def test_bounds_are_those_of_numpy_on_every_layout(dtype, layout):
    array = layout(noise(dtype))
    low, high = limits(dtype)
    for bounds in ((low, high), (low, None), (None, high)):
        result = wgpu_clamp.clamp(array, *bounds)
        assert type(result) is np.ndarray and result.flags.c_contiguous
        # bfloat16 has no clip of its own; each of its numbers is a float32.
        exact = np.float32 if dtype == ml_dtypes.bfloat16 else dtype
        clipped = np.clip(np.asarray(array).astype(exact), *bounds)
        assert clipped.dtype == exact and clipped.shape == result.shape
        np.testing.assert_array_equal(result.astype(exact), clipped)
        assert_same_bits(result, wgpu_clamp.reference(array, *bounds))


@pytest.mark.parametrize("dtype", FLOATS, ids=name)
def test_what_no_bound_replaces_keeps_its_bits(dtype):
    array = noise(dtype)
    assert_same_bits(wgpu_clamp.clamp(array, -np.inf, np.inf), array)
    zeros = np.array([-0.0, 0.0], dtype)
    assert_same_bits(wgpu_clamp.clamp(zeros, 0.0, 1.0), zeros)
    assert_same_bits(wgpu_clamp.clamp(zeros, -1.0, -0.0), zeros)


@pytest.mark.parametrize("dtype", FLOATS, ids=name)
def test_a_nan_bound_replaces_nothing(dtype):
    array = np.array([-7, 0, 7, np.nan], dtype)
    assert_same_bits(wgpu_clamp.clamp(array, np.nan, 3), np.array([-7, 0, 3, np.nan], dtype))
    assert_same_bits(wgpu_clamp.clamp(array, -3, np.nan), np.array([-3, 0, 7, np.nan], dtype))
    assert_same_bits(wgpu_clamp.clamp(array, np.nan, np.nan), array)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=name)
def test_min_wins_where_it_is_more_than_max(dtype):
    array = np.array([0, 5, 50], dtype)
    assert_same_bits(wgpu_clamp.clamp(array, 20, 10), np.full(3, 20, dtype))
    if dtype in FLOATS:
        assert np.isnan(wgpu_clamp.clamp(np.array([np.nan], dtype), 20, 10)).all()


@pytest.mark.parametrize("dtype", INTEGERS, ids=name)
def test_integer_bounds_reach_the_ends(dtype):
    info = np.iinfo(dtype)
    array = np.array([info.min, info.min + 1, 0, info.max - 1, info.max], dtype)
    assert_same_bits(wgpu_clamp.clamp(array, info.min, info.max), array)
    expected = np.clip(array, info.min + 1, info.max - 1)
    assert_same_bits(wgpu_clamp.clamp(array, info.min + 1, info.max - 1), expected)
    assert_same_bits(wgpu_clamp.clamp(array, dtype.type(info.min + 1), np.array(info.max - 1, dtype)), expected)
    assert_same_bits(wgpu_clamp.clamp(array, 1.0, Fraction(4, 2)), np.clip(array, 1, 2))


def test_float_bounds_are_rounded_as_by_numpy():
    array = np.array([0, 1], np.float32)
    assert wgpu_clamp.clamp(array, 0.1, 0.7).tolist() == [np.float32(0.1), np.float32(0.7)]
    assert wgpu_clamp.clamp(array.astype(np.float16), 65519.9)[0] == 65504
    assert wgpu_clamp.clamp(array.astype(ml_dtypes.bfloat16), ml_dtypes.bfloat16(3.25))[0] == 3.25
    assert wgpu_clamp.clamp(array.astype(np.float64), 0.1)[0] == 0.1


def test_the_other_byte_order_is_converted():
    array = noise(">i4")
    result = wgpu_clamp.clamp(array, -1000, 1000)
    assert result.dtype == np.dtype("=i4")
    np.testing.assert_array_equal(result, np.clip(array, -1000, 1000))


def test_arrays_that_may_not_be_written_are_read():
    array = noise(np.int16)
    array.flags.writeable = False
    assert_same_bits(wgpu_clamp.clamp(array, -5, 5), np.clip(array, -5, 5))


@pytest.mark.parametrize("rounding", ["toward_zero", "nearest_even"])
@pytest.mark.parametrize("dtype", INTEGERS, ids=name)
def test_integers_are_the_real_number_rounded(dtype, rounding):
    array = noise(dtype, (300,))
    array[:5] = range(5)
    info = np.iinfo(dtype)
    for scale, bias in ((0.5, 0.0), (0.37, -3.25), (-1.75, 1e4), (1e-3, 0.5)):
        exact = [int(x) * Fraction(float(np.float32(scale))) + Fraction(float(np.float32(bias))) for x in array]
        whole = [round(x) if rounding == "nearest_even" else int(x) for x in exact]
        expected = np.array([max(info.min, min(x, info.max)) for x in whole], dtype)
        assert_same_bits(wgpu_clamp.clamp(array, None, None, scale, bias, rounding=rounding), expected)


def test_exact_floats_are_the_real_number_rounded_once():
    array = np.random.default_rng(1).normal(0, 1e3, 5000).astype(np.float32)
    scale = float(np.float32(0.1))
    # 24 bits times 24 bits are exact in float64.
    expected = np.clip((array * np.float64(scale)).astype(np.float32), -90, 90)
    assert_same_bits(wgpu_clamp.clamp(array, -90, 90, scale, precision="exact"), expected)

    small = np.random.default_rng(2).normal(0, 10, 5000).astype(np.float16)
    expected = (small.astype(np.float64) * 1.25 + 0.3125).astype(np.float16)
    assert_same_bits(wgpu_clamp.clamp(small, scale=1.25, bias=0.3125, precision="exact"), expected)


def test_fast_floats_are_fused_or_not():
    array = np.random.default_rng(3).normal(0, 1e3, 5000).astype(np.float32)
    scale, bias = np.float32(0.1), np.float32(2.25)
    unfused = array * scale + bias
    fused = (array * np.float64(scale) + np.float64(bias)).astype(np.float32)
    result = wgpu_clamp.clamp(array, scale=0.1, bias=2.25)
    assert ((result == unfused) | (result == fused)).all()


def test_float64_takes_its_own_scale():
    array = np.array([3.0, -7.0])
    assert_same_bits(wgpu_clamp.clamp(array, scale=0.1, precision="exact"), array * 0.1)


@pytest.mark.parametrize("dtype", CONVERTIBLE, ids=name)
@pytest.mark.parametrize("source", CONVERTIBLE, ids=name)
def test_conversions_are_those_of_the_reference(source, dtype):
    array = noise(source, (64, 33))
    for rounding in ("toward_zero", "nearest_even"):
        call = dict(min=1, scale=0.75, bias=-1.5, dtype=dtype, precision="exact", rounding=rounding)
        assert_same_bits(wgpu_clamp.clamp(array, **call), wgpu_clamp.reference(array, **call))


def test_floats_to_bytes():
    array = np.array([0.0, 0.5, 1.0, -3.0, np.nan, np.inf], np.float32)
    call = dict(scale=255.0, dtype=np.uint8, precision="exact")
    assert wgpu_clamp.clamp(array, rounding="nearest_even", **call).tolist() == [0, 128, 255, 0, 0, 255]
    assert wgpu_clamp.clamp(array, rounding="toward_zero", **call).tolist() == [0, 127, 255, 0, 0, 255]


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_each_channel_has_a_clamp_of_its_own(axis):
    pixels = noise(np.uint8, (3, 3, 3) if axis in (0, -3) else (5, 3, 3))
    if axis in (2, -1):
        pixels = np.ascontiguousarray(pixels.transpose(1, 0, 2))
    scales, biases = [0.0171, 0.0175, 0.0174], [-2.118, -2.036, -1.804]
    channels = [dict(scale=scale, bias=bias) for scale, bias in zip(scales, biases, strict=True)]
    channels[1]["max"] = 0.5
    result = wgpu_clamp.clamp(pixels, -2, dtype=np.float32, precision="exact", channels=channels, axis=axis)

    # 8 bits times 24 bits, plus 24 bits of about the same exponent, are exact in float64.
    along = [1] * 3
    along[axis] = 3
    factors, addends = (np.array(x, np.float32).astype(np.float64).reshape(along) for x in (scales, biases))
    highest = np.array([np.inf, 0.5, np.inf]).reshape(along)
    expected = np.clip((pixels * factors + addends).astype(np.float32), -2, highest.astype(np.float32))
    assert_same_bits(result, expected)


def test_a_large_array_with_odd_ends():
    array = noise(np.float32, (13, 1_000_003))
    assert_same_bits(wgpu_clamp.clamp(array[1:], -1e-3, 1e3), wgpu_clamp.reference(array[1:], -1e-3, 1e3))


def test_out_is_written_and_returned():
    array, out = noise(np.uint8), np.zeros((13, 37), np.float32)
    assert wgpu_clamp.clamp(array, 10, 200, dtype=np.float32, out=out) is out
    np.testing.assert_array_equal(out, np.clip(array, 10, 200))


def test_in_place():
    array = noise(np.int32)
    expected = np.clip(array, -99, 99)
    assert wgpu_clamp.clamp(array, -99, 99, out=array) is array
    np.testing.assert_array_equal(array, expected)

    halves = noise(np.float16)
    expected = wgpu_clamp.reference(halves, -1, 1, dtype=np.int16)
    assert_same_bits(wgpu_clamp.clamp(halves, -1, 1, dtype=np.int16, out=halves.view(np.int16)), expected)
    assert_same_bits(halves.view(np.int16), expected)


@pytest.mark.parametrize("shift", [1, -1, 40])
def test_out_may_overlap_the_array(shift):
    buffer = noise(np.int32, (1000,))
    array, out = (buffer[40:900], buffer[40 + shift : 900 + shift])
    expected = np.clip(array, -99, 99)
    wgpu_clamp.clamp(array, -99, 99, out=out)
    np.testing.assert_array_equal(out, expected)

    backwards = noise(np.int32, (1000,))
    expected = np.clip(backwards[::-1], -99, 99)
    np.testing.assert_array_equal(wgpu_clamp.clamp(backwards[::-1], -99, 99, out=backwards), expected)
