"""Threads and forks."""

import subprocess
import sys

# Seconds: far more than a call takes. A child that hangs is killed then.
PATIENCE = 120


def run(program):
    """Runs a Python program; returns its output, its errors and its status."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.stdout, done.stderr, done.returncode


def test_eight_threads_open_one_device_and_share_it():
    program = """
import threading, numpy as np, wgpu_clamp
barrier, right = threading.Barrier(8), []
def clamp(n):
    array = np.random.default_rng(n).normal(0, 9, 300_001).astype(np.float32)
    barrier.wait()
    for round in range(5):
        result = wgpu_clamp.clamp(array, -n - round, n)
        right.append(np.array_equal(result, np.clip(array, -n - round, n)))
threads = [threading.Thread(target=clamp, args=[n]) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert right == [True] * 40, right
"""
    _, complaint, status = run(program)
    assert status == 0, complaint


FORK = """
import os, signal, numpy as np, wgpu_clamp
{before}
child = os.fork()
if child == 0:
    signal.alarm(100)
    try:
        wgpu_clamp.clamp(np.arange(9), 2, 5)
        os._exit(0)
    except RuntimeError as error:
        print(error, flush=True)
        os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
assert wgpu_clamp.clamp(np.arange(9), 2, 5)[0] == 2
"""


def test_a_fork_after_the_first_call_is_refused():
    printed, complaint, status = run(FORK.format(before="wgpu_clamp.clamp(np.arange(9), 2, 5)"))
    assert status == 0, complaint
    error, status_of_fork = printed.splitlines()
    assert "was forked from process" in error and "Start workers by spawn" in error
    assert status_of_fork == "3"


def test_a_fork_before_the_first_call_has_a_device_of_its_own():
    printed, complaint, status = run(FORK.format(before=""))
    assert (status, printed) == (0, "0\n"), complaint
