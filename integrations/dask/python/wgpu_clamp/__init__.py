"""``max(min, min(x * scale + bias, max))`` on NumPy arrays, by the GPU.

>>> import numpy as np
>>> import wgpu_clamp
>>> wgpu_clamp.clamp(np.array([-1.5, 0.25, 7.0], np.float32), 0, 6)
array([0.  , 0.25, 6.  ], dtype=float32)

``map_blocks`` clamps the chunks of a Dask array. It does not pass ``dtype`` on, so ``partial`` gives another dtype:

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
from wgpu_clamp.arguments import contiguous, operation, output, supported

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
        An array that is not C-contiguous, or has the other byte order, is copied first.
    min, max
        Numbers of the result's dtype, or ``None`` for no bound. For an integer dtype, an integer in its range; for a
        float dtype, any number, rounded as NumPy does.
    scale, bias
        Finite numbers, rounded to float32 (float64 if the result is float64). Scale 1 with bias 0 computes nothing.
    dtype
        The dtype of the result; ``array``'s if ``None``. Any two of uint8, int8, uint16, int16, uint32, int32, float16,
        bfloat16 and float32 convert into each other, saturated.
    out
        A writeable C-contiguous array of ``array``'s shape and of the result's dtype, which may be ``array``. After a
        RuntimeError a part of it may be written; the error says which.
    precision
        ``"fast"``: where floats take part, scale and bias are the device's float32 arithmetic (float64 for float64).
        ``"exact"``: the exact result, rounded once: the same bits on every device.
    rounding
        How a number becomes an integer: ``"toward_zero"`` or ``"nearest_even"``.
    channels, axis
        A sequence of dicts with keys of ``min``, ``max``, ``scale`` and ``bias``, one for each index of ``axis``. A key
        that a dict leaves out has the call's value.

    Differences from NumPy's ``clip``: a NaN bound replaces nothing (in NumPy, all elements become NaN); if
    ``min > max``, all elements but NaN become min (in NumPy, max); the dtype of a bound does not change the result's.
    As in NumPy, NaN stays NaN. An element that no bound replaces keeps its bits, such as a NaN's payload and a zero's
    sign (in NumPy, a zero as the only bound may change it).

    Raises ``ValueError`` or ``TypeError`` for a wrong argument. Raises ``RuntimeError`` if the GPU fails, or in a fork
    of a process that has opened the GPU. Releases the GIL. The first call of a process opens the GPU that
    ``WGPU_CLAMP_ADAPTER``, ``WGPU_ADAPTER_NAME`` and ``WGPU_BACKEND`` choose; an empty array needs no GPU.
    """
    return _run(True, array, (min, max, scale, bias), dtype, out, precision, rounding, channels, axis)


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
    """Compute :func:`clamp` on the CPU, one element at a time, to check the results of a GPU.

    The bits are the same, except where ``precision="fast"`` leaves the device a choice.
    """
    return _run(False, array, (min, max, scale, bias), dtype, out, precision, rounding, channels, axis)


def adapter():
    """Open the GPU of this process, unless it is open, and return its name, backend, kind and driver."""
    return _native.adapter()


def _run(on_gpu, array, parameters, dtype, out, *how):
    array = contiguous(array)
    dtype = array.dtype if dtype is None else supported("dtype", dtype)
    call, shape = operation(array, dtype, *how[:2], parameters, *how[2:])
    out = output(out, array.shape, dtype)
    if array.size == 0:
        return out
    if np.may_share_memory(array, out):
        same = array.ctypes.data == out.ctypes.data and array.nbytes == out.nbytes
        array = None if same else array.copy()
    _native.clamp(on_gpu, call, shape, None if array is None else _bytes(array), _bytes(out))
    return out


def _bytes(array):
    # A `numpy.matrix` would stay two-dimensional.
    return np.asarray(array).reshape(-1).view(np.uint8)
