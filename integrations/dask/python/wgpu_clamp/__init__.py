"""``max(min, min(x * scale + bias, max))`` on NumPy arrays, by the GPU.

>>> import numpy as np
>>> import wgpu_clamp
>>> wgpu_clamp.clamp(np.array([-1.5, 0.25, 7.0], np.float32), 0, 6)
array([0.  , 0.25, 6.  ], dtype=float32)

On the chunks of a Dask array, by ``map_blocks``. It keeps ``dtype`` to itself, so that another one goes in by ``partial``:

>>> import dask.array as da
>>> from functools import partial
>>> levels = da.arange(8, chunks=4, dtype=np.uint8)
>>> levels.map_blocks(wgpu_clamp.clamp, 2, 5, dtype=np.uint8, meta=levels).compute()
array([2, 2, 2, 3, 4, 5, 5, 5], dtype=uint8)
>>> halves = partial(wgpu_clamp.clamp, scale=0.5, dtype=np.float32)
>>> levels.map_blocks(halves, dtype=np.float32, meta=np.empty(0, np.float32)).compute()
array([0. , 0.5, 1. , 1.5, 2. , 2.5, 3. , 3.5], dtype=float32)
"""

import numpy as np

from wgpu_clamp import _native
from wgpu_clamp.arguments import Operation, contiguous, output

__all__ = ["adapter", "clamp", "reference"]


def clamp(
    array,
    min=None,
    max=None,
    scale=1.0,
    bias=0.0,
    *,
    dtype=None,
    out=None,
    precision="fast",
    rounding="toward_zero",
    channels=None,
    axis=None,
):
    """Return ``max(min, min(x * scale + bias, max))`` of each element, as a new array in C order, or in ``out``.

    array
        A NumPy array of float16, float32, float64, a signed or unsigned integer of 8 to 64 bits, or ml_dtypes' bfloat16.
        One that is not C-contiguous, or in the other byte order, is copied first.
    min, max
        Numbers of the result's dtype, or ``None``. For an integer dtype only an integer in its range; for a float dtype
        any number that is not beyond its largest, rounded as NumPy does.
    scale, bias
        Finite numbers, rounded to float32 (float64 if the result is of that dtype). Scale 1 with bias 0 is no step at all.
    dtype
        That of the result, ``array``'s if ``None``. Any two of uint8, int8, uint16, int16, float16, bfloat16 and float32
        convert into each other, saturated.
    out
        A writeable C-contiguous array of ``array``'s shape and of the result's dtype, which may be ``array``. After a
        RuntimeError a part of it may be written; the error says which.
    precision
        ``"fast"``: a scale or bias that meets a float is float32 arithmetic of the device (float64 for float64).
        ``"exact"``: the real number, rounded once, the same bits on every device.
    rounding
        How a number becomes an integer: ``"toward_zero"`` or ``"nearest_even"``.
    channels, axis
        A sequence of dicts with keys of ``min``, ``max``, ``scale`` and ``bias``, one for each index of ``axis``. What a
        dict leaves out is that of the call.

    Not as in NumPy's ``clip``: a NaN bound never replaces anything (there: all becomes NaN); where ``min > max`` all but
    NaN becomes min (there: max); the result has the dtype of the array, whatever that of the bounds. As there, NaN stays
    NaN. An element that nothing replaces keeps its bits: the sign of a zero, the payload of a NaN.

    Raises ``ValueError`` or ``TypeError`` for an argument, ``RuntimeError`` for the GPU, and in a fork of a process that
    has opened it. The GIL is released. The first call of a process opens the GPU, by ``WGPU_CLAMP_ADAPTER``,
    ``WGPU_ADAPTER_NAME`` and ``WGPU_BACKEND``; an empty array needs none.
    """
    operation = Operation(dtype, precision, rounding, (min, max, scale, bias), channels, axis)
    return _run(_native.clamp, array, operation, out)


def reference(
    array,
    min=None,
    max=None,
    scale=1.0,
    bias=0.0,
    *,
    dtype=None,
    out=None,
    precision="fast",
    rounding="toward_zero",
    channels=None,
    axis=None,
):
    """As :func:`clamp`, on the CPU, one element at a time: what the results of a GPU are compared with.

    They have the same bits, but where ``precision="fast"`` leaves the device a choice.
    """
    operation = Operation(dtype, precision, rounding, (min, max, scale, bias), channels, axis)
    return _run(_native.reference, array, operation, out)


def adapter():
    """Open the GPU of this process if that was not done, and return its name, backend, kind and driver."""
    return _native.adapter()


def _run(native, array, operation, out):
    array = contiguous(array)
    dtype = operation.dtype_of(array)
    out = output(out, array.shape, dtype)
    call, shape = operation.on(array, dtype)
    if array.size == 0:
        return out
    if np.may_share_memory(array, out):
        same = array.ctypes.data == out.ctypes.data and array.nbytes == out.nbytes
        array = None if same else array.copy()
    native(call, shape, None if array is None else _bytes(array), _bytes(out))
    return out


def _bytes(array):
    # A matrix stays one.
    return np.asarray(array).reshape(-1).view(np.uint8)
