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
PARTS = (1, 2, 4)
MIB = 2**20

# The bounds without channels, and with channels.
BOUNDS = ((-12.5, 20.25), (-2.0, 2.0))
SCALES = np.array([0.0171, 0.0175, 0.0174], np.float32)
BIASES = np.array([-2.118, -2.036, -1.804], np.float32)
CHANNELS = [dict(scale=float(scale), bias=float(bias)) for scale, bias in zip(SCALES, BIASES, strict=True)]


class Kind:
    """A conversion from one dtype to another. In a chunk, the larger of source and result has 64 MiB."""

    def __init__(self, source, dtype, shape, axis=None):
        self.source, self.dtype, self.shape, self.axis = np.dtype(source), np.dtype(dtype), shape, axis

    def chunk(self, seed):
        """A chunk of noise, of 12 bits per element, or 3 bits if elements are bytes."""
        random, chunk = np.random.default_rng(seed), np.empty(self.shape, self.source)
        # In parts, so that the memory's peak is not here.
        for part in np.array_split(chunk.reshape(-1), 64):
            if self.source == np.uint8:
                part[:] = random.integers(0, 8, part.size, np.uint8) * np.uint8(32)
            else:
                part[:] = random.integers(-2048, 2048, part.size, np.int16) / np.float32(64)
        return chunk

    def engines(self):
        low, high = BOUNDS[self.axis is not None]
        channels = {} if self.axis is None else dict(channels=CHANNELS, axis=self.axis, dtype=self.dtype)
        return {
            "no-op": partial(convert, dtype=self.dtype),
            "numpy.clip": partial(clip, low=low, high=high, axis=self.axis),
            "wgpu_clamp": partial(wgpu_clamp.clamp, min=low, max=high, **channels),
        }


def convert(array, dtype):
    return array.astype(dtype)


def clip(array, low, high, axis):
    if axis is None:
        return np.clip(array, low, high)
    along = [1] * array.ndim
    along[axis] = 3
    result = np.multiply(array, SCALES.reshape(along), dtype=np.float32)
    result += BIASES.reshape(along)
    return np.clip(result, low, high, out=result)


KINDS = {
    "f32": Kind("f4", "f4", (16, 1024, 1024)),
    "f16": Kind("f2", "f2", (32, 1024, 1024)),
    "u8 → f32, planes": Kind("u1", "f4", (3, 5461, 1024), axis=0),
    "u8 → f32, pixels": Kind("u1", "f4", (5461, 1024, 3), axis=2),
}


def used():
    """CPU seconds and peak memory in MiB of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def one_chunk(kind, engine):
    """Milliseconds of the first call, wall and CPU milliseconds of a later call, and the process's peak in MiB."""
    chunk, call = KINDS[kind].chunk(0), KINDS[kind].engines()[engine]
    start = time.perf_counter()
    call(chunk)
    first = time.perf_counter() - start
    walls, (cpu, _) = [], used()
    for _ in range(CALLS):
        start = time.perf_counter()
        call(chunk)
        walls.append(time.perf_counter() - start)
    after, peak = used()
    return [first * 1e3, statistics.median(walls) * 1e3, (after - cpu) / CALLS * 1e3, peak]


def one_store(kind, engine, parts, source):
    """Wall seconds and the workers' CPU seconds for the store, and the largest worker's peak memory in MiB."""
    import dask.array as da
    import zarr
    from distributed import Client, LocalCluster

    parts, kind = int(parts), KINDS[kind]
    with tempfile.TemporaryDirectory() as scratch:
        options = dict(processes=True, dashboard_address=None, local_directory=scratch, memory_limit=0)
        with LocalCluster(n_workers=parts, threads_per_worker=1, **options) as cluster, Client(cluster) as client:
            array = da.from_zarr(source)
            empty = np.empty((0,) * array.ndim, kind.dtype)
            result = array.map_blocks(kind.engines()[engine], dtype=kind.dtype, meta=empty)
            out = create(zarr, Path(scratch) / "out.zarr", kind, kind.dtype)
            work = da.to_zarr(result, out, compute=False)
            before = client.run(used)
            start = time.perf_counter()
            client.compute(work).result()
            wall = time.perf_counter() - start
            after = client.run(used)
    cpu = sum(after[worker][0] - before[worker][0] for worker in after)
    return [wall, cpu, max(peak for _, peak in after.values())]


def create(zarr, path, kind, dtype):
    # Chunks line up along an axis without channels.
    longest = int(np.argmax(kind.shape)) if kind.axis is not None else 0
    shape = [extent * (CHUNKS if axis == longest else 1) for axis, extent in enumerate(kind.shape)]
    codec = zarr.codecs.ZstdCodec(level=1)
    return zarr.create_array(path, shape=shape, chunks=kind.shape, dtype=dtype, compressors=codec)


def fill(path, kind):
    """Fills a store with chunks. Returns the share of its bytes that is left after compression."""
    import zarr

    array = create(zarr, path, kind, kind.source)
    for index, region in enumerate(np.ndindex(array.cdata_shape)):
        array.blocks[region] = kind.chunk(index)
    return array.nbytes_stored() / array.nbytes


def median(samples):
    return [statistics.median(column) for column in zip(*samples, strict=True)]


def child(*words):
    done = subprocess.run([sys.executable, __file__, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def rounds(cases):
    """Runs the cases in turns, and returns the median of each."""
    samples = {case: [] for case in cases}
    for n in range(ROUNDS):
        for case in cases[n % len(cases) :] + cases[: n % len(cases)]:
            samples[case].append(child(*case))
    return {case: median(all) for case, all in samples.items()}


def main():
    print(f"{wgpu_clamp.adapter()}; NumPy {np.__version__}; load {Path('/proc/loadavg').read_text().split()[0]}\n")
    engines = list(KINDS["f32"].engines())
    print("| 64 MiB | engine | first call, ms | a call, ms | CPU of a call, ms | peak of the process, MiB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (_, kind, engine), figures in rounds([("chunk", k, e) for k in KINDS for e in engines]).items():
        print(f"| {kind} | {engine} |", " | ".join(f"{figure:.0f}" for figure in figures), "|", flush=True)

    print(f"\n| {CHUNKS * 64} MiB | engine | workers | s | CPU of the workers, s | largest worker, MiB |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        stored = {}
        for n, kind in enumerate(list(KINDS)[:3]):
            source = str(Path(scratch) / f"{n}.zarr")
            stored[kind] = fill(source, KINDS[kind])
            cases = [("store", kind, engine, parts, source) for engine in engines for parts in PARTS]
            for (_, _, engine, parts, _), (wall, cpu, peak) in rounds(cases).items():
                print(f"| {kind} | {engine} | {parts} | {wall:.1f} | {cpu:.1f} | {peak:.0f} |", flush=True)
    shares = ", ".join(f"{kind} {share:.2f}" for kind, share in stored.items())
    print(f"\nOf the source's bytes zstd leaves: {shares}. Load {Path('/proc/loadavg').read_text().split()[0]}.")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main()
        case ["chunk", *words]:
            print(json.dumps(one_chunk(*words)))
        case ["store", *words]:
            print(json.dumps(one_store(*words)))
