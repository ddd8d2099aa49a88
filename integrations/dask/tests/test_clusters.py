"""Clamps 1 GiB through a Dask cluster, and kills a worker on the way."""

import os
import signal
import time
from contextlib import contextmanager, suppress

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


@contextmanager
def two_workers(directory):
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=directory
    )
    try:
        with Client(cluster) as client:
            yield client
    finally:
        # Dask gives a worker five seconds to end, and a busy machine needs more.
        with suppress(TimeoutError):
            cluster.close()


def kill_in_the_middle(future, destination, pid):
    """Kills the process once a quarter of the chunks is written."""
    deadline = time.monotonic() + PATIENCE
    while (count := stores.written(destination)) < stores.CHUNKS // 4:
        assert not future.done() and time.monotonic() < deadline, f"{future.status} with {count} chunks written"
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    assert count < stores.CHUNKS and not future.done()


def pids(client):
    return set(client.run(os.getpid).values())


def test_a_cluster_loses_a_worker(source, tmp_path):
    destination = tmp_path / "clamped.zarr"
    array = da.from_zarr(source)
    clamped = array.map_blocks(wgpu_clamp.clamp, **stores.CALL, dtype="f4", meta=np.empty((0, 0, 0), "f4"))
    work = da.to_zarr(clamped, stores.create(destination), compute=False)
    with two_workers(tmp_path / "local") as client:
        before = pids(client)
        future = client.compute(work)
        victim = min(before)
        kill_in_the_middle(future, destination, victim)
        future.result(timeout=PATIENCE)
        # Dask's nanny starts another worker in its place.
        client.wait_for_workers(2, timeout=PATIENCE)
        after = pids(client)
        assert victim not in after and len(after) == 2 and len(after & before) == 1
    assert stores.written(destination) == stores.CHUNKS
    stores.compare(destination)


def test_a_store_that_is_wrong_is_noticed(source, tmp_path):
    """The comparison fails for a store that was not clamped, and for an empty one."""
    with pytest.raises(AssertionError, match="elements of chunk 0 differ"):
        stores.compare(source)
    stores.create(tmp_path / "empty.zarr")
    with pytest.raises(AssertionError, match=f"{np.prod(stores.CHUNK)} elements of chunk 0 differ"):
        stores.compare(tmp_path / "empty.zarr")
