"""clamp-zarr reads zarr-python's arrays, and zarr-python reads clamp-zarr's. CLAMP_ZARR names the program."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zarr

DTYPES = ["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def clamp_zarr(*words):
    done = subprocess.run(
        [os.environ["CLAMP_ZARR"], *map(str, words)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(dtype, shape):
    """Numbers of every size, seeded."""
    data = np.random.default_rng(7).integers(0, 256, np.prod(shape) * dtype.itemsize, np.uint8)
    data = data.view(dtype).reshape(shape)
    return np.where(np.isnan(data), 0, data) if dtype.kind == "f" else data


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_reads_and_is_read(tmp_path, dtype, version):
    dtype = np.dtype(dtype)
    data = numbers(dtype, (50, 70))
    array = zarr.create_array(
        tmp_path / "in", shape=data.shape, chunks=(16, 32), dtype=dtype, zarr_format=version
    )
    array[:] = data
    array.attrs["unit"] = "m"
    clamp_zarr("--min", 3, "--max", 100, tmp_path / "in", tmp_path / "out")
    out = zarr.open_array(tmp_path / "out", mode="r")
    assert (out.dtype, out.chunks, out.attrs["unit"]) == (dtype, (16, 32), "m")
    expected = np.clip(data, dtype.type(3), dtype.type(100))
    assert out[:].tobytes() == expected.tobytes()


@pytest.mark.parametrize("shards", [None, (32, 64, 3)])
def test_four_parts_make_a_network_input(tmp_path, shards):
    frames = numbers(np.dtype("u1"), (64, 64, 3))
    array = zarr.create_array(
        tmp_path / "in",
        shape=frames.shape,
        chunks=(16, 32, 3),
        shards=shards,
        dtype="u1",
        compressors=zarr.codecs.BloscCodec(cname="zstd", shuffle="shuffle"),
    )
    array[:] = frames
    channels = tmp_path / "channels.txt"
    # In f32, products and sums of these numbers are exact.
    channels.write_text("--scale 0.5 --bias -3\n--scale 0.25\n--scale -1 --bias 0.125\n")
    words = ["--dtype", "f32", "--max", 60, "--channels", channels, "--quiet"]
    with ThreadPoolExecutor() as parts:
        part = lambda n: clamp_zarr(*words, "--part", f"{n}/4", tmp_path / "in", tmp_path / "out")
        said = list(parts.map(part, range(4)))
    assert all("written" in line for line in said), said
    out = zarr.open_array(tmp_path / "out", mode="r")
    expected = np.minimum(frames * np.float32([0.5, 0.25, -1]) + np.float32([-3, 0, 0.125]), 60)
    assert out.dtype == np.float32
    assert (out[:] == expected).all()


def test_fill_value_of_a_chunk_that_is_absent(tmp_path):
    array = zarr.create_array(tmp_path / "in", shape=(8,), chunks=(4,), dtype="f4", fill_value=np.inf)
    array[4:] = [1, -5, np.nan, 2]
    clamp_zarr("--min", 0, "--max", 1.5, tmp_path / "in", tmp_path / "out")
    assert not (tmp_path / "out" / "c" / "0").exists()
    out = zarr.open_array(tmp_path / "out", mode="r")
    np.testing.assert_array_equal(out[:], np.float32([1.5] * 4 + [1, 0, np.nan, 1.5]))
