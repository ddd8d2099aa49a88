"""Threads, forks, and a device that is lost."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import wgpu_clamp
from wgpu_clamp import _native

# Far more than a call takes; a child that hangs takes for ever.
PATIENCE = 120


def run(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_eight_threads_at_once():
    arrays = [np.random.default_rng(seed).normal(0, 9, 300_001).astype(np.float32) for seed in range(8)]

    def clamp(n):
        return [wgpu_clamp.clamp(arrays[n], -n - round, n) for round in range(5)]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(clamp, range(8)))
    for n, rounds in enumerate(results):
        for round, result in enumerate(rounds):
            np.testing.assert_array_equal(result, np.clip(arrays[n], -n - round, n))


def test_eight_threads_open_one_device():
    program = """
import threading, numpy as np, wgpu_clamp
barrier, results = threading.Barrier(8), []
def first():
    barrier.wait()
    results.append(wgpu_clamp.clamp(np.arange(9), 2, 5).tolist())
threads = [threading.Thread(target=first) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert results == [[2, 2, 2, 3, 4, 5, 5, 5, 5]] * 8, results
"""
    done = run(program)
    assert done.returncode == 0, done.stderr


FORK = """
import os, numpy as np, wgpu_clamp
{before}
child = os.fork()
if child == 0:
    try:
        wgpu_clamp.clamp(np.arange(9), 2, 5)
        os._exit(0)
    except RuntimeError as error:
        print(error, flush=True)
        os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
{after}
"""


def test_a_fork_after_the_first_call_is_refused():
    clamp = "assert wgpu_clamp.clamp(np.arange(9), 2, 5)[0] == 2"
    done = run(FORK.format(before=clamp, after=clamp))
    assert done.returncode == 0, done.stderr
    error, status = done.stdout.splitlines()
    assert "was forked from process" in error and "Start workers by spawn" in error
    assert status == "3"


def test_a_fork_before_the_first_call_has_a_device_of_its_own():
    done = run(FORK.format(before="", after="assert wgpu_clamp.clamp(np.arange(9), 2, 5)[0] == 2"))
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_after_the_loss_of_a_device_another_is_opened():
    array = np.arange(9, dtype=np.int16)
    wgpu_clamp.clamp(array, 2, 5)
    _native.lose_device()
    with pytest.raises(RuntimeError, match="lost"):
        wgpu_clamp.clamp(array, 2, 5)
    assert wgpu_clamp.clamp(array, 2, 5).tolist() == [2, 2, 2, 3, 4, 5, 5, 5, 5]
