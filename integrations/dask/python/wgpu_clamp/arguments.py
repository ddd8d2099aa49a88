"""Checks the arguments of a call, and converts them for the native module, which checks the rest."""

import math
import numbers

import numpy as np

# NumPy's names of the dtypes, and the crate's.
NAMES = {"float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16"}
NAMES |= {f"{word}{bits}": f"{word[0]}{bits}" for word in ("int", "uint") for bits in (8, 16, 32, 64)}

PARAMETERS = ("min", "max", "scale", "bias")


def contiguous(array):
    """The array in C order and native byte order: itself, or a copy."""
    if not isinstance(array, np.ndarray | np.generic) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            f"array: {type(array).__name__} is not a plain numpy.ndarray; give `numpy.asarray` of it, "
            "`.filled()` of a masked array, or use `map_blocks` on a Dask array"
        )
    return np.asarray(array, dtype=supported("array", array.dtype), order="C")


def supported(argument, dtype):
    """The dtype in native byte order."""
    dtype = np.dtype(dtype)
    if dtype.name not in NAMES:
        raise ValueError(f"{argument}: {dtype} is not supported; {', '.join(NAMES)} are")
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def output(out, shape, dtype):
    """The array for the result: `out`, checked, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out: {type(out).__name__} is not a plain numpy.ndarray")
    if out.shape != shape or out.dtype != dtype or not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError(
            f"out: {out.dtype!r} of shape {out.shape}; {dtype!r} of shape {shape} is needed, C-contiguous and writeable"
        )
    return out


def operation(array, dtype, precision, rounding, parameters, channels, axis):
    """The operation for the native module, and the shape that it sees: one dimension, or three with channels."""
    parameters = dict(zip(PARAMETERS, parameters, strict=True))
    if channels is None and axis is None:
        axis, shape, channels = None, [array.size], [_channel("", parameters, dtype)]
    else:
        shape = _shape(array, channels, axis)
        channels = [_channel(f"channels[{n}]: ", parameters | _dict(n, one), dtype) for n, one in enumerate(channels)]
        axis = 1
    call = {
        "source": NAMES[array.dtype.name],
        "dtype": NAMES[dtype.name],
        "precision": precision,
        "rounding": rounding,
        "channels": channels,
        "axis": axis,
    }
    return call, shape


def _shape(array, channels, axis):
    """The extents before the axis, along it and behind it."""
    if channels is None or axis is None:
        given, missing = ("axis", "channels") if channels is None else ("channels", "axis")
        raise ValueError(f"{missing}: None, but {given} is given; the two go together")
    if not isinstance(axis, numbers.Integral) or not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis: {axis!r} is no dimension of an array of shape {array.shape}")
    axis = int(axis) % array.ndim
    extent = array.shape[axis]
    # Dask infers dtypes from an empty array.
    if array.size > 0 and extent != len(channels):
        raise ValueError(
            f"channels: {len(channels)} given for axis {axis} of shape {array.shape}; one for each of its "
            f"{extent} indices is needed (a Dask array must not be chunked along this axis)"
        )
    return [math.prod(array.shape[:axis]), extent, math.prod(array.shape[axis + 1 :])]


def _dict(index, channel):
    if not isinstance(channel, dict) or not channel.keys() <= set(PARAMETERS):
        raise ValueError(f"channels[{index}]: {channel!r} is not a dict of {', '.join(PARAMETERS)}")
    return channel


def _channel(where, parameters, dtype):
    """Bounds as bits, then scale and bias."""
    low, high = (_bound(f"{where}{name}", parameters[name], dtype) for name in ("min", "max"))
    scale, bias = (_float(f"{where}{name}", parameters[name]) for name in ("scale", "bias"))
    return low, high, scale, bias


def _bound(argument, value, dtype):
    if value is None:
        return None
    if dtype.kind not in "iu":
        with np.errstate(over="ignore"):
            return int(np.array(_float(argument, value)).astype(dtype).view(f"u{dtype.itemsize}"))
    number = _number(argument, value)
    limits = np.iinfo(dtype)
    # NaN and infinities fail the first comparison, so `int` never gets them.
    if limits.min <= number <= limits.max and number == int(number):
        return int(number) % 2**limits.bits
    raise ValueError(
        f"{argument}: {value!r} is no number of {dtype}; an integer from {limits.min} to {limits.max} is needed, or None "
        "for no bound"
    )


def _float(argument, value):
    number = _number(argument, value)
    try:
        return float(number)
    except OverflowError:
        raise ValueError(f"{argument}: the number exceeds every float; give a float, such as math.inf for a bound") from None


def _number(argument, value):
    """The value as a Python number, without rounding."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic) and value.dtype.name in NAMES:
        return value.item() if isinstance(value, numbers.Number) else float(value)
    if isinstance(value, numbers.Real):
        return value
    raise TypeError(f"{argument}: {value!r} is not a number; one for each index of an axis goes by `channels` and `axis`")
