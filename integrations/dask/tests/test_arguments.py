"""Refused arguments and their errors, and calls that need no GPU."""

import subprocess
import sys

import dask.array as da
import numpy as np
import pytest

import wgpu_clamp

BYTES = np.zeros((2, 3), np.uint8)
SINGLES = np.zeros((2, 3), np.float32)
READ_ONLY = np.broadcast_to(np.uint8(0), (2, 3))

REFUSED = [
    (BYTES, dict(min=0.5), "min: 0.5 is no number of uint8; an integer from 0 to 255 is needed, or None for no bound"),
    (BYTES, dict(max=300), "max: 300 is no number of uint8; an integer from 0 to 255 is needed"),
    (BYTES, dict(max=np.nan), "max: nan is no number of uint8"),
    (BYTES, dict(max=10**400), "is no number of uint8"),
    (np.zeros(3, np.float32), dict(min=-(10**400)), "exceeds every float"),
    (np.zeros(3, np.float32), dict(scale=10**400), "exceeds every float"),
    (BYTES, dict(min=300, dtype=np.int8), "min: 300 is no number of int8; an integer from -128 to 127"),
    (SINGLES, dict(scale=1e39), "scale: inf is not finite"),
    (SINGLES, dict(bias=np.nan), "bias: NaN is not finite"),
    (SINGLES, dict(dtype=np.float64), "f32 does not convert to f64"),
    (SINGLES, dict(dtype=bool), "dtype: bool is not supported; float16,"),
    (SINGLES.astype(complex), {}, "array: complex128 is not supported; float16,"),
    (SINGLES, dict(precision="high"), 'precision: "high" is unknown; "fast" or "exact" is needed'),
    (SINGLES, dict(rounding="up"), 'rounding: "up" is unknown; "toward_zero" or "nearest_even" is needed'),
    (SINGLES, dict(axis=0), "channels: None, but axis is given; the two go together"),
    (SINGLES, dict(channels=[{}, {}]), "axis: None, but channels is given; the two go together"),
    (SINGLES, dict(channels=[{}] * 4, axis=1), "channels: 4 given for axis 1 of shape (2, 3); one for each of its 3"),
    (SINGLES, dict(channels=[{}] * 2, axis=-3), "axis: -3 is no dimension of an array of shape (2, 3)"),
    (SINGLES, dict(channels=[{}] * 2, axis=0.0), "axis: 0.0 is no dimension"),
    (SINGLES, dict(channels=[{}, {"mean": 1}], axis=0), "channels[1]: {'mean': 1} is not a dict of min, max,"),
    (SINGLES, dict(channels=[1, 2], axis=0), "channels[0]: 1 is not a dict of min, max, scale, bias"),
    (BYTES, dict(channels=[{}, {"max": 256}], axis=0), "channels[1]: max: 256 is no number of uint8"),
    (BYTES, dict(out=np.zeros((3, 2), np.uint8)), "out: dtype('uint8') of shape (3, 2); dtype('uint8') of shape (2, 3)"),
    (SINGLES, dict(out=SINGLES.astype(">f4")), "out: dtype('>f4') of shape"),
    (BYTES, dict(out=np.zeros((3, 2), np.uint8).T), "is needed, C-contiguous and writeable"),
    (BYTES, dict(out=READ_ONLY), "is needed, C-contiguous and writeable"),
    (BYTES, dict(min="0"), "min: '0' is not a number; one for each index of an axis goes by `channels` and `axis`"),
    (BYTES, dict(max=np.array([1])), "max: array([1]) is not a number"),
    (BYTES, dict(scale=None), "scale: None is not a number"),
    (BYTES, dict(out=[0]), "out: list is not a plain numpy.ndarray"),
    ([1, 2], {}, "array: list is not a plain numpy.ndarray; give `numpy.asarray` of it"),
    (np.ma.masked_array(BYTES), {}, "array: MaskedArray is not a plain numpy.ndarray"),
    (da.zeros(3), {}, "array: Array is not a plain numpy.ndarray; give `numpy.asarray` of it, `.filled()` of a masked"),
]


@pytest.mark.parametrize(("array", "call", "message"), REFUSED)
def test_arguments_are_refused_by_name(array, call, message):
    with pytest.raises((ValueError, TypeError)) as refusal:
        wgpu_clamp.clamp(array, **call)
    assert message in str(refusal.value)


def test_an_empty_array_needs_no_gpu_and_takes_any_number_of_channels():
    program = """
import numpy as np, wgpu_clamp
empty = np.zeros((0, 0, 3), np.uint8)
assert wgpu_clamp.clamp(empty, 1, 2, dtype=np.float16).dtype == np.float16
assert wgpu_clamp.clamp(empty, channels=[{}, {}], axis=1).shape == (0, 0, 3)
try:
    wgpu_clamp.clamp(np.zeros(1), 0, 1)
except RuntimeError as error:
    print(error)
"""
    environment = {"WGPU_CLAMP_ADAPTER": "99"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    assert "no device: adapter 99, counted from 0, is not among" in done.stdout


def test_the_adapter_is_named():
    assert wgpu_clamp.adapter().count(",") >= 2
