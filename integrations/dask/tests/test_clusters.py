"""Clamps 1 GiB through Dask's schedulers, and kills a worker on the way."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

import stores
import wgpu_clamp

# Seconds for each wait, on a machine with other work.
PATIENCE = 600


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "array.zarr"
    stores.fill(path)
    return path


def submit(client, source, destination):
    """Starts the whole work, and returns its future."""
    array = da.from_zarr(source)
    meta = np.empty((0, 0, 0), array.dtype)
    clamped = array.map_blocks(wgpu_clamp.clamp, **stores.CALL, dtype=array.dtype, meta=meta)
    return client.compute(da.to_zarr(clamped, stores.create(destination), compute=False))


def kill_in_the_middle(future, destination, pid):
    """Kills the process once a quarter of the chunks is written, and returns the number of chunks."""
    deadline = time.monotonic() + PATIENCE
    while (count := stores.written(destination)) < stores.CHUNKS // 4:
        assert not future.done() and time.monotonic() < deadline, f"{future.status} with {count} chunks written"
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    assert count < stores.CHUNKS and not future.done()
    return count


def pids(client):
    return set(client.run(os.getpid).values())


def test_a_local_cluster_loses_a_worker(source, tmp_path):
    destination = tmp_path / "clamped.zarr"
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=tmp_path / "local"
    )
    with cluster, Client(cluster) as client:
        before = pids(client)
        future = submit(client, source, destination)
        victim = min(before)
        kill_in_the_middle(future, destination, victim)
        future.result(timeout=PATIENCE)
        # Dask's nanny starts another worker in its place.
        client.wait_for_workers(2, timeout=PATIENCE)
        after = pids(client)
        assert victim not in after and len(after) == 2 and len(after & before) == 1
    assert stores.written(destination) == stores.CHUNKS
    stores.compare(destination)


def test_workers_by_hand_lose_one(source, tmp_path):
    destination, scheduler_file = tmp_path / "clamped.zarr", tmp_path / "scheduler.json"
    processes = []

    def start(*arguments):
        log = open(tmp_path / f"{len(processes)}.log", "w")
        command = [sys.executable, "-m", "dask", *arguments, "--scheduler-file", scheduler_file]
        processes.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT))
        return processes[-1]

    def worker():
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", tmp_path / "local"]
        return start("worker", *options)

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        victim, survivor = worker(), worker()
        deadline = time.monotonic() + PATIENCE
        while not scheduler_file.exists():
            assert processes[0].poll() is None and time.monotonic() < deadline, (tmp_path / "0.log").read_text()
            time.sleep(0.05)
        with Client(scheduler_file=str(scheduler_file)) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
            assert pids(client) == {victim.pid, survivor.pid}
            future = submit(client, source, destination)
            kill_in_the_middle(future, destination, victim.pid)
            assert victim.wait(timeout=PATIENCE) == -signal.SIGKILL
            replacement = worker()
            future.result(timeout=PATIENCE)
            client.wait_for_workers(2, timeout=PATIENCE)
            assert pids(client) == {survivor.pid, replacement.pid}
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()
    assert stores.written(destination) == stores.CHUNKS
    stores.compare(destination)


def test_a_store_that_is_wrong_is_noticed(source, tmp_path):
    """The comparison fails for a store that was not clamped, and for an empty one."""
    with pytest.raises(AssertionError, match="elements of chunk 0 differ"):
        stores.compare(source)
    stores.create(tmp_path / "empty.zarr")
    with pytest.raises(AssertionError, match=f"{np.prod(stores.CHUNK)} elements of chunk 0 differ"):
        stores.compare(tmp_path / "empty.zarr")


def test_chunks_become_another_dtype_channel_by_channel():
    pixels = da.random.default_rng(1).integers(0, 256, (600, 700, 3), dtype=np.uint8, chunks=(128, 300, 3))
    scales, biases = [0.0171, 0.0175, 0.0174], [-2.118, -2.036, -1.804]
    channels = [dict(scale=scale, bias=bias) for scale, bias in zip(scales, biases, strict=True)]
    normalise = partial(wgpu_clamp.clamp, dtype=np.float32, precision="exact", channels=channels, axis=2)
    floats = pixels.map_blocks(normalise, dtype=np.float32, meta=np.empty((0, 0, 0), np.float32))
    with LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None) as cluster:
        with Client(cluster):
            plain, clamped = da.compute(pixels, floats)
    expected = wgpu_clamp.reference(plain, **normalise.keywords)
    np.testing.assert_array_equal(clamped.view(np.uint32), expected.view(np.uint32))
