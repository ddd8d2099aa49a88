"""A Zarr store of known content, and the comparison of a clamped store with the reference."""

import numpy as np
import zarr
from zarr.codecs import ZstdCodec

import wgpu_clamp

# 1 GiB in chunks of 32 MiB.
CHUNK = (8, 1024, 1024)
SHAPE = (32 * CHUNK[0], *CHUNK[1:])
CHUNKS = 32

# Without scale and bias, every device gives the same bits.
CALL = dict(min=-12.5, max=20.25)


def chunk(index):
    """A chunk of the input: noise of 12 bits, and among it NaNs, infinities, -0 and very small and large numbers."""
    random = np.random.default_rng(index)
    numbers = random.integers(-2048, 2048, CHUNK, np.int16).astype(np.float32) / 64
    odd = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 1e-40, -1e-40, 3e38], np.float32)
    numbers.reshape(-1)[random.integers(0, numbers.size, odd.size)] = odd
    return numbers


def create(path):
    """Creates a store without chunks. It reads as 100, which is never a right result."""
    compressor = ZstdCodec(level=1)
    return zarr.create_array(path, shape=SHAPE, chunks=CHUNK, dtype="f4", compressors=compressor, fill_value=100)


def fill(path):
    """Writes the input."""
    array = create(path)
    for index in range(CHUNKS):
        array[rows(index)] = chunk(index)


def rows(index):
    return slice(index * CHUNK[0], (index + 1) * CHUNK[0])


def written(path):
    """The number of complete chunks. Zarr first writes to a file of another name, which a killed process leaves."""
    return sum(file.name.isdigit() for file in (path / "c").glob("*/*/*"))


def compare(path):
    """Compares every byte of the output with the reference."""
    array = zarr.open_array(path, mode="r")
    for index in range(CHUNKS):
        expected = wgpu_clamp.reference(chunk(index), **CALL)
        actual = array[rows(index)]
        differ = np.flatnonzero(actual.view(np.uint32) != expected.view(np.uint32))
        assert differ.size == 0, f"{differ.size} elements of chunk {index} differ, the first at {differ[0]}"
