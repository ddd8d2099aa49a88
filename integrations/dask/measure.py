"""Prints the figures of the table of chunks in docs/INTEGRATIONS.md: time and memory to clamp a chunk. `target/integrations/venv/bin/python` runs it.

Each case runs in a process of its own. The cases take turns, and a figure is the median of ROUNDS processes.
"""

import multiprocessing
import resource
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

import wgpu_clamp

ROUNDS = 3
CALLS = 8

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


def engine(name, dtype, axis):
    """The function that clamps a chunk."""
    if name == "no-op":
        return lambda array: array.astype(dtype)
    if name == "numpy.clip":
        return partial(clip, axis=axis)
    if axis is None:
        return partial(wgpu_clamp.clamp, min=-12.5, max=20.25)
    return partial(wgpu_clamp.clamp, min=-2.0, max=2.0, dtype=np.dtype(dtype), channels=CHANNELS, axis=axis)


def clip(array, axis):
    if axis is None:
        return np.clip(array, -12.5, 20.25)
    along = [1] * array.ndim
    along[axis] = 3
    result = np.multiply(array, SCALES.reshape(along), dtype=np.float32)
    result += BIASES.reshape(along)
    return np.clip(result, -2.0, 2.0, out=result)


def measure(kind, name):
    """Milliseconds of the first call, wall and CPU milliseconds of a later call, and the process's peak in MiB."""
    source, dtype, shape, axis = KINDS[kind]
    call, random, chunk = engine(name, dtype, axis), np.random.default_rng(0), np.empty(shape, source)
    # Noise, in parts, so that the memory's peak is not here.
    for part in np.array_split(chunk.reshape(-1), 64):
        part[:] = random.integers(0, 255, part.size) if source == "u1" else random.integers(-2048, 2048, part.size) / 64
    walls, cpus = [], []
    for _ in range(1 + CALLS):
        wall, cpu = time.perf_counter(), time.process_time()
        call(chunk)
        walls.append((time.perf_counter() - wall) * 1e3)
        cpus.append((time.process_time() - cpu) * 1e3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return walls[0], statistics.median(walls[1:]), statistics.mean(cpus[1:]), peak


if __name__ == "__main__":
    print(f"{wgpu_clamp.adapter()}; NumPy {np.__version__}\n")
    print("| 64 MiB | engine | first call, ms | a call, ms | CPU of a call, ms | peak of the process, MiB |")
    print("| --- | --- | --- | --- | --- | --- |")
    samples = {(kind, name): [] for kind in KINDS for name in ENGINES}
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as processes:
        for _ in range(ROUNDS):
            for case, figures in samples.items():
                figures.append(processes.submit(measure, *case).result())
    for case, figures in samples.items():
        medians = [f"{statistics.median(column):.1f}" for column in zip(*figures, strict=True)]
        print("|", " | ".join([*case, *medians]), "|")
