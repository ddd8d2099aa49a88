"""Checks the arguments of a call, and converts them for the native module."""

import math
import numbers

import numpy as np

# NumPy's names of the dtypes, and the crate's.
NAMES = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}

# Any two of these convert into each other.
CONVERTIBLE = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "bfloat16", "float32")

# The largest number of each float dtype.
LARGEST = {
    "float16": 65504.0,
    "bfloat16": float.fromhex("0x1.fep127"),
    "float32": float.fromhex("0x1.fffffep127"),
    "float64": float.fromhex("0x1.fffffffffffffp1023"),
}

PARAMETERS = ("min", "max", "scale", "bias")


class Operation:
    """The operation, as far as it does not depend on the array."""

    def __init__(self, dtype, precision, rounding, parameters, channels, axis):
        self.dtype = None if dtype is None else _supported("dtype", np.dtype(dtype))
        self.precision = _one_of("precision", precision, ("fast", "exact"))
        self.rounding = _one_of("rounding", rounding, ("toward_zero", "nearest_even"))
        self.parameters = dict(zip(PARAMETERS, parameters, strict=True))
        if (channels is None) != (axis is None):
            given, missing = ("axis", "channels") if channels is None else ("channels", "axis")
            raise ValueError(f"{missing}: None, but {given} is given; the two go together")
        self.channels = None if channels is None else [_channel(*pair) for pair in enumerate(channels)]
        self.axis = axis

    def dtype_of(self, array):
        """The dtype of the result."""
        source, dtype = array.dtype, self.dtype or array.dtype
        if source.name != dtype.name and not {source.name, dtype.name} <= set(CONVERTIBLE):
            raise ValueError(f"dtype: {source} does not convert to {dtype}; any two of {', '.join(CONVERTIBLE)} do")
        return dtype

    def on(self, array, dtype):
        """The operation for the native module, and the shape that it sees: one dimension, or three with channels."""
        call = {
            "source": NAMES[array.dtype.name],
            "dtype": NAMES[dtype.name],
            "precision": self.precision,
            "rounding": self.rounding,
        }
        if self.channels is None:
            return call | {"axis": None, "channels": [_numbers("", self.parameters, dtype)]}, [array.size]
        channels = [
            _numbers(f"channels[{index}]: ", self.parameters | channel, dtype)
            for index, channel in enumerate(self.channels)
        ]
        shape = self._channel_shape(array)
        return call | {"axis": 1, "channels": channels}, shape

    def _channel_shape(self, array):
        axis = self.axis
        if not isinstance(axis, numbers.Integral) or not -array.ndim <= axis < array.ndim:
            raise ValueError(f"axis: {axis!r} is no dimension of an array of shape {array.shape}")
        axis = int(axis) % array.ndim
        extent = array.shape[axis]
        # Dask infers dtypes from an empty array.
        if array.size > 0 and extent != len(self.channels):
            raise ValueError(
                f"channels: {len(self.channels)} given for axis {axis} of shape {array.shape}; one for each of its "
                f"{extent} indices is needed (a Dask array must not be chunked along this axis)"
            )
        return [math.prod(array.shape[:axis]), extent, math.prod(array.shape[axis + 1 :])]


def contiguous(array):
    """The array in C order and native byte order: itself, or a copy."""
    if not isinstance(array, np.ndarray | np.generic) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            f"array: {type(array).__name__} is not a plain numpy.ndarray; give `numpy.asarray` of it, "
            "`.filled()` of a masked array, or use `map_blocks` on a Dask array"
        )
    dtype = _supported("array", array.dtype)
    return np.asarray(array, dtype=dtype, order="C")


def output(out, shape, dtype):
    """The array for the result: `out`, checked, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out: {type(out).__name__} is not a plain numpy.ndarray")
    if out.shape != shape:
        raise ValueError(f"out: its shape is {out.shape}; that of the array, {shape}, is needed")
    if out.dtype != dtype:
        raise ValueError(f"out: its dtype is {out.dtype!r}; {dtype!r} is needed, or another `dtype` of the call")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError("out: it is not C-contiguous and writeable, as it has to be")
    return out


def _supported(argument, dtype):
    """The dtype in native byte order."""
    if dtype.name not in NAMES:
        raise ValueError(f"{argument}: {dtype} is not supported; {', '.join(NAMES)} are")
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def _one_of(argument, value, words):
    if value not in words:
        raise ValueError(f"{argument}: {value!r} is unknown; {' or '.join(map(repr, words))} is needed")
    return value


def _channel(index, channel):
    if not isinstance(channel, dict):
        raise TypeError(f"channels[{index}]: {channel!r} is not a dict of {', '.join(PARAMETERS)}")
    for key in channel:
        if key not in PARAMETERS:
            raise ValueError(f"channels[{index}]: {key!r} is no parameter of a channel; {', '.join(PARAMETERS)} are")
    return channel


def _numbers(where, parameters, dtype):
    """Bounds as bits, then scale and bias."""
    bounds = (_bound(f"{where}{name}", parameters[name], dtype) for name in ("min", "max"))
    affine = (_finite(f"{where}{name}", parameters[name], dtype) for name in ("scale", "bias"))
    return (*bounds, *affine)


def _bound(argument, value, dtype):
    if value is None:
        return None
    number = _number(argument, value)
    if dtype.name in LARGEST:
        return _float_bits(argument, number, dtype)
    limits = np.iinfo(dtype)
    # NaN and infinities fail the first comparison, so `int` never gets them.
    if limits.min <= number <= limits.max and number == int(number):
        return int(number) % 2**limits.bits
    raise ValueError(
        f"{argument}: {value!r} is no number of {dtype}; an integer from {limits.min} to {limits.max} is needed, or None "
        "for no bound"
    )


def _float_bits(argument, number, dtype):
    try:
        with np.errstate(over="ignore"):
            element = np.array(float(number)).astype(dtype)
        beyond = math.isinf(element) and abs(number) != math.inf
    except OverflowError:
        beyond = True
    if beyond:
        largest = LARGEST[dtype.name]
        raise ValueError(
            f"{argument}: {number!r} is no number of {dtype}; one from {-largest!r} to {largest!r} is needed, or None "
            "for no bound"
        )
    return int(element.view(f"u{dtype.itemsize}"))


def _finite(argument, value, dtype):
    number = _number(argument, value)
    name = "float64" if dtype.name == "float64" else "float32"
    if abs(number) <= LARGEST[name]:
        return float(number)
    raise ValueError(f"{argument}: {value!r} is not finite in {name}; a finite number is needed")


def _number(argument, value):
    """The value as a Python number, without rounding."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic) and value.dtype.name in NAMES:
        return value.item() if isinstance(value, numbers.Number) else float(value)
    if isinstance(value, numbers.Real):
        return value
    raise TypeError(f"{argument}: {value!r} is not a number; one for each index of an axis goes by `channels` and `axis`")
