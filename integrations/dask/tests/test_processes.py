"""Threads and forks."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np

import wgpu_clamp

# Seconds: far more than a call takes. A child that hangs is killed then.
PATIENCE = 120


def run(program):
    """Runs a Python program; returns its output, its errors and its status. Ends the processes that it has forked."""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        return *process.communicate(timeout=PATIENCE), process.returncode
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


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
    _, complaint, status = run(program)
    assert status == 0, complaint


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
    printed, complaint, status = run(FORK.format(before=clamp, after=clamp))
    assert status == 0, complaint
    error, status_of_fork = printed.splitlines()
    assert "was forked from process" in error and "Start workers by spawn" in error
    assert status_of_fork == "3"


def test_a_fork_before_the_first_call_has_a_device_of_its_own():
    printed, complaint, status = run(FORK.format(before="", after="assert wgpu_clamp.clamp(np.arange(9), 2, 5)[0] == 2"))
    assert (status, printed) == (0, "0\n"), complaint
