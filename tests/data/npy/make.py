"""Writes the files of this folder: inputs, and the results of numpy.clip.

    python make.py

README.md names the version of NumPy that wrote the files in the repository.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def elements(dtype):
    """120 edge values and random bits, the same in every run."""
    dtype = np.dtype(dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    width = 8 * dtype.itemsize
    ones = (1 << width) - 1
    edges = [0, 1, 2, ones, ones - 1, ones >> 1, (ones >> 1) + 1, (ones >> 1) + 2, 0x55, 0x7E]
    if dtype.kind == "f":
        info = np.finfo(dtype)
        numbers = [0.0, -0.0, 1.5, -1.5, 1.0, -1.0, np.inf, -np.inf, info.max, info.min, info.tiny, info.smallest_subnormal]
        edges += [int(x) for x in np.array(numbers, dtype).view(bits)]
        infinity = int(np.array(np.inf, dtype).view(bits)[()])
        sign = 1 << (width - 1)
        # Quiet and signalling NaNs, with payloads, of both signs.
        quiet = 1 << (info.nmant - 1)
        edges += [infinity | quiet, infinity | 1, infinity | quiet | 5, sign | infinity | quiet, sign | infinity | 3]
    if width == 64:
        # Integers that no f64 equals.
        edges += [2**53 + 1, 2**63 - 2, 2**64 - 2, 2**64 - 2**53 - 1]
    random = np.random.default_rng(20260101).integers(0, ones, 120 - len(edges), np.uint64, endpoint=True)
    if dtype.kind == "f":
        # Half of the random elements lie near the bounds, where random bits seldom are.
        near = np.linspace(-3, 3, len(random) // 2).astype(dtype).view(bits)
        random[: len(near)] = near
    return np.concatenate([np.array(edges, np.uint64), random]).astype(bits).view(dtype)


def bounds(dtype):
    """The bounds of a dtype's cases, as text and as scalars of the dtype."""
    texts = {
        "i1": ("-100", "85"),
        "i2": ("-20000", "4660"),
        "i4": ("-16777217", "16777217"),
        "i8": ("-9007199254740993", "9007199254740993"),
        "u1": ("3", "200"),
        "u2": ("3", "65534"),
        "u4": ("16777217", "4294967293"),
        "u8": ("9007199254740993", "18446744073709551613"),
        "f2": ("-1.1", "2.3"),
        "f4": ("-1.1", "2.3"),
        "f8": ("-1.1", "2.3"),
    }[dtype]
    if dtype[0] == "f":
        return texts, [np.dtype(dtype).type(text) for text in texts]
    return texts, [np.dtype(dtype).type(int(text)) for text in texts]


def save(name, array):
    # Version 2.0 of the format; `numpy.save` writes 1.0, as the tests do.
    with open(HERE / name, "wb") as file:
        np.lib.format.write_array(file, array, version=(2, 0))


def main():
    for dtype in DTYPES:
        x = elements(dtype)
        x = x.astype(x.dtype.newbyteorder("<"))
        _, (low, high) = bounds(dtype)
        save(f"{dtype}.npy", x)
        save(f"{dtype}.out.npy", np.clip(x, low, high))

    # One bound, and zeros of both signs.
    x = elements("f4").astype("<f4")
    save("f4_min.out.npy", np.maximum(x, np.float32(0.5)))
    save("f4_max.out.npy", np.minimum(x, np.float32(-0.5)))
    save("f4_zeros.out.npy", np.clip(x, np.float32(-0.0), np.float32(0.0)))
    print(f"NumPy {np.__version__}")


main()
