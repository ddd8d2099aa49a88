"""Prints the tables of docs/INTEGRATIONS.md: time and memory to clamp a chunk, and a Zarr store through Dask.

Each case runs in a process of its own. The cases take turns, and a figure is the median of ROUNDS processes.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

import wgpu_clamp

ROUNDS = 3
CALLS = 8
CHUNKS = 8

# Source, result, the shape of a chunk whose larger side has 64 MiB, and the axis of the channels.
KINDS = {
    "f32": ("f4", "f4", (16, 1024, 1024), None),
    "f16": ("f2", "f2", (32, 1024, 1024), None),
    "u8 → f32, planes": ("u1", "f4", (3, 5461, 1024), 0),
    "u8 → f32, pixels": ("u1", "f4", (5461, 1024, 3), 2),
}
ENGINES = ("no-op", "numpy.clip", "wgpu_clamp")
SCALES = np.array([0.0171, 0.0175, 0.0174], np.float32)
BIASES = np.array([-2.118, -2.036, -1.804], np.float32)
CHANNELS = [dict(scale=float(scale), bias=float(bias)) for scale, bias in zip(SCALES, BIASES, strict=True)]


def engine(name, kind):
    """The function that clamps a chunk."""
    _, dtype, _, axis = KINDS[kind]
    if name == "no-op":
        return partial(convert, dtype=dtype)
    if name == "numpy.clip":
        return partial(clip, axis=axis)
    if axis is None:
        return partial(wgpu_clamp.clamp, min=-12.5, max=20.25)
    return partial(wgpu_clamp.clamp, min=-2.0, max=2.0, dtype=np.dtype(dtype), channels=CHANNELS, axis=axis)


def convert(array, dtype):
    return array.astype(dtype)


def clip(array, axis):
    if axis is None:
        return np.clip(array, -12.5, 20.25)
    along = [1] * array.ndim
    along[axis] = 3
    result = np.multiply(array, SCALES.reshape(along), dtype=np.float32)
    result += BIASES.reshape(along)
    return np.clip(result, -2.0, 2.0, out=result)


def chunk(kind, seed):
    """A chunk of noise, of 12 bits per element, or 3 bits if elements are bytes."""
    source, _, shape, _ = KINDS[kind]
    random, chunk = np.random.default_rng(seed), np.empty(shape, source)
    # In parts, so that the memory's peak is not here.
    for part in np.array_split(chunk.reshape(-1), 64):
        if source == "u1":
            part[:] = random.integers(0, 8, part.size, np.uint8) * np.uint8(32)
        else:
            part[:] = random.integers(-2048, 2048, part.size, np.int16) / np.float32(64)
    return chunk


def used():
    """CPU seconds and peak memory in MiB of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def one_chunk(kind, name):
    """Milliseconds of the first call, wall and CPU milliseconds of a later call, and the process's peak in MiB."""
    data, call = chunk(kind, 0), engine(name, kind)
    walls, cpus = [], []
    for _ in range(1 + CALLS):
        start, (cpu, _) = time.perf_counter(), used()
        call(data)
        walls.append((time.perf_counter() - start) * 1e3)
        cpus.append((used()[0] - cpu) * 1e3)
    return [walls[0], statistics.median(walls[1:]), statistics.mean(cpus[1:]), used()[1]]


def one_store(kind, name, source):
    """Wall seconds, CPU seconds and peak memory in MiB of a worker for the store."""
    import dask.array as da
    from distributed import Client, LocalCluster

    dtype = KINDS[kind][1]
    with tempfile.TemporaryDirectory() as scratch:
        options = dict(processes=True, dashboard_address=None, local_directory=scratch, memory_limit=0)
        with LocalCluster(n_workers=1, threads_per_worker=1, **options) as cluster, Client(cluster) as client:
            result = da.from_zarr(source).map_blocks(engine(name, kind), dtype=dtype, meta=np.empty((0, 0, 0), dtype))
            work = da.to_zarr(result, create(f"{scratch}/out.zarr", kind, dtype), compute=False)
            ((before, _),) = client.run(used).values()
            start = time.perf_counter()
            client.compute(work).result()
            wall = time.perf_counter() - start
            ((after, peak),) = client.run(used).values()
    return [wall, after - before, peak]


def create(path, kind, dtype):
    """A store of CHUNKS chunks, side by side along the longest axis."""
    import zarr

    shape = list(KINDS[kind][2])
    shape[int(np.argmax(shape))] *= CHUNKS
    codec = zarr.codecs.ZstdCodec(level=1)
    return zarr.create_array(path, shape=shape, chunks=KINDS[kind][2], dtype=dtype, compressors=codec)


def rounds(cases):
    """Runs the cases in turns, each in a process of its own. Prints a line of medians for each."""
    samples = {case: [] for case in cases}
    for n in range(ROUNDS):
        for case in cases[n % len(cases) :] + cases[: n % len(cases)]:
            done = subprocess.run([sys.executable, __file__, *case], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            samples[case].append(json.loads(done.stdout.splitlines()[-1]))
    for (_, kind, name, *_), figures in samples.items():
        medians = [f"{statistics.median(column):.1f}" for column in zip(*figures, strict=True)]
        print("|", " | ".join([kind, name, *medians]), "|", flush=True)


def main():
    print(f"{wgpu_clamp.adapter()}; NumPy {np.__version__}; load {Path('/proc/loadavg').read_text().split()[0]}\n")
    print("| 64 MiB | engine | first call, ms | a call, ms | CPU of a call, ms | peak of the process, MiB |")
    print("| --- | --- | --- | --- | --- | --- |")
    rounds([("chunk", kind, name) for kind in KINDS for name in ENGINES])

    print(f"\n| {CHUNKS * 64} MiB | engine | s | CPU, s | peak, MiB |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        for n, kind in enumerate(list(KINDS)[:3]):
            array = create(f"{scratch}/{n}.zarr", kind, KINDS[kind][0])
            for index, region in enumerate(np.ndindex(array.cdata_shape)):
                array.blocks[region] = chunk(kind, index)
            rounds([("store", kind, name, f"{scratch}/{n}.zarr") for name in ENGINES])


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main()
        case ["chunk", *words]:
            print(json.dumps(one_chunk(*words)))
        case ["store", *words]:
            print(json.dumps(one_store(*words)))
