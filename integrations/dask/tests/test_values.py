"""Compares results with NumPy where the rules agree, and with the reference. The crate's own tests compare bits."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import wgpu_clamp

INTEGERS = [np.dtype(f"{sign}{size}") for sign in "iu" for size in (1, 2, 4, 8)]
FLOATS = [np.dtype(name) for name in ("float16", "float32", "float64", ml_dtypes.bfloat16)]

LAYOUTS = {
    "C": lambda array: array,
    "transposed": lambda array: array.T,
    "sliced": lambda array: array[1::2, -1:3:-3],
    "broadcast": lambda array: np.broadcast_to(array[2], (5, *array[2].shape)),
    "scalar": lambda array: array[1, 1],
    "empty": lambda array: array[:0],
    "nine dimensions": lambda array: array[:4, :32].reshape((2,) * 7 + (1, 1)),
}


def noise(dtype, shape=(13, 37), seed=0):
    """Random bits. Every pattern is equally likely, so NaNs and infinities occur."""
    size = np.prod(shape) * np.dtype(dtype).itemsize
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8).view(dtype).reshape(shape)


def bits(array):
    return array.view(f"u{array.dtype.itemsize}")


def assert_same_bits(actual, expected):
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(bits(actual), bits(expected))


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=str)
def test_bounds_are_those_of_numpy_on_every_layout(dtype, layout):
    array = layout(noise(dtype))
    low, high = (-2.5, 100.5) if dtype in FLOATS else (np.iinfo(dtype).min // 2 + 3, np.iinfo(dtype).max // 2 - 5)
    for bounds in ((low, high), (low, None), (None, high)):
        result = wgpu_clamp.clamp(array, *bounds)
        assert type(result) is np.ndarray and result.flags.c_contiguous
        # bfloat16 has no clip of its own; each of its numbers is a float32.
        exact = np.float32 if dtype == ml_dtypes.bfloat16 else dtype
        clipped = np.clip(array.astype(exact), *bounds)
        assert result.dtype == dtype and clipped.shape == result.shape
        np.testing.assert_array_equal(result.astype(exact), clipped)
        assert_same_bits(result, wgpu_clamp.reference(array, *bounds))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_differences_from_numpy(dtype):
    array = np.array([-7, 0, 7, np.nan], dtype)
    assert_same_bits(wgpu_clamp.clamp(array, np.nan, 3), np.array([-7, 0, 3, np.nan], dtype))
    assert_same_bits(wgpu_clamp.clamp(array, 20, 10)[:3], np.full(3, 20, dtype))
    zeros = np.array([-0.0, 0.0], dtype)
    assert_same_bits(wgpu_clamp.clamp(zeros, 0.0, 1.0), zeros)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integer_bounds_reach_the_ends(dtype):
    info = np.iinfo(dtype)
    array = np.array([info.min, info.min + 1, 0, info.max - 1, info.max], dtype)
    assert_same_bits(wgpu_clamp.clamp(array, info.min, info.max), array)
    expected = np.clip(array, info.min + 1, info.max - 1)
    assert_same_bits(wgpu_clamp.clamp(array, dtype.type(info.min + 1), np.array(info.max - 1, dtype)), expected)
    assert_same_bits(wgpu_clamp.clamp(array, 1.0, Fraction(4, 2)), np.clip(array, 1, 2))


def test_float_bounds_are_rounded_as_by_numpy():
    array = np.array([0, 1], np.float32)
    assert wgpu_clamp.clamp(array, 0.1, 0.7).tolist() == [np.float32(0.1), np.float32(0.7)]
    assert wgpu_clamp.clamp(array.astype(np.float16), 65519.9)[0] == 65504
    assert wgpu_clamp.clamp(array.astype(ml_dtypes.bfloat16), ml_dtypes.bfloat16(3.25))[0] == 3.25
    assert wgpu_clamp.clamp(array.astype(np.float64), 0.1)[0] == 0.1
    assert wgpu_clamp.clamp(array, -1e39, 1e39).tolist() == [0, 1]


def test_the_other_byte_order_is_converted():
    array = noise(">i4")
    assert_same_bits(wgpu_clamp.clamp(array, -1000, 1000), np.clip(array, -1000, 1000).astype("=i4"))


def test_float64_takes_its_own_scale():
    array = np.array([3.0, -7.0])
    assert_same_bits(wgpu_clamp.clamp(array, scale=0.1, precision="exact"), array * 0.1)


def test_floats_to_bytes():
    array = np.array([0.0, 0.5, 1.0, -3.0, np.nan, np.inf], np.float32)
    call = dict(scale=255.0, dtype=np.uint8, precision="exact")
    assert wgpu_clamp.clamp(array, rounding="nearest_even", **call).tolist() == [0, 128, 255, 0, 0, 255]
    assert wgpu_clamp.clamp(array, rounding="toward_zero", **call).tolist() == [0, 127, 255, 0, 0, 255]


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_each_channel_has_a_clamp_of_its_own(axis):
    pixels = noise(np.uint8, (3, 3, 3))
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


def test_out_is_written_and_returned_also_in_place():
    array, out = noise(np.uint8), np.zeros((13, 37), np.float32)
    assert wgpu_clamp.clamp(array, 10, 200, dtype=np.float32, out=out) is out
    np.testing.assert_array_equal(out, np.clip(array, 10, 200))

    halves = noise(np.float16)
    expected = wgpu_clamp.reference(halves, -1, 1, dtype=np.int16)
    assert_same_bits(wgpu_clamp.clamp(halves, -1, 1, dtype=np.int16, out=halves.view(np.int16)), expected)
    assert_same_bits(halves.view(np.int16), expected)


@pytest.mark.parametrize("shift", [0, 1, -1, 40])
def test_out_may_overlap_the_array(shift):
    buffer = noise(np.int32, (1000,))
    array, out = (buffer[40:900], buffer[40 + shift : 900 + shift])
    expected = np.clip(array, -99, 99)
    wgpu_clamp.clamp(array, -99, 99, out=out)
    np.testing.assert_array_equal(out, expected)
