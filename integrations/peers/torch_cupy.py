#!/usr/bin/env python3
"""torch.clamp (eager and compiled) and CuPy on a CUDA GPU, as rows of the benchmark's table.

    cargo xtask bench --json ours.json
    python3 integrations/peers/torch_cupy.py --ours ours.json [--json theirs.json]

CUDA events time each of them on random data, in enough buffers that no cache is measured. A figure is the median of
rounds in rotating order. With --ours, a ratio compares with the row `contiguous: clamp` or `scale and bias: scale,
bias, clamp` of the same dtype and size in that file: the same GPU, another process. A line tells what is missing of
torch, CuPy and CUDA.
"""

import argparse
import json
import statistics
import sys

SCALE, BIAS, MIN, MAX = 1.7, -0.3, -4.1, 3.9
DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "f64": "float64"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", metavar="FILE", help="the file of `cargo xtask bench --json FILE` on this machine")
    parser.add_argument("--json", metavar="FILE", help="the file for the figures")
    parser.add_argument("--mib", type=int, default=256, help="size of a tensor (256)")
    parser.add_argument("--rounds", type=int, default=11)
    return parser.parse_args()


def sets(size):
    """How many buffers together exceed a GPU's cache."""
    return max(3, 100_000_000 // size + 1) if size < 100_000_000 else 2


def torch_contestants(size):
    """A list of (what, dtype, name, call, pairs of buffers) for torch; empty without torch or CUDA."""
    try:
        import torch
    except ImportError as error:
        print(f"- torch: not measured, {error}")
        return []
    if not torch.cuda.is_available():
        print(f"- torch {torch.__version__}: not measured, it finds no CUDA device")
        return []
    print(f"- torch: {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}")

    def clamp(x, out):
        torch.clamp(x, MIN, MAX, out=out)

    def eager(x, _):
        return torch.clamp(x * SCALE + BIAS, MIN, MAX)

    compiled_clamp = torch.compile(lambda x: torch.clamp(x, MIN, MAX), dynamic=False)
    compiled = torch.compile(lambda x: torch.clamp(x * SCALE + BIAS, MIN, MAX), dynamic=False)
    found = []
    for dtype, name in DTYPES.items():
        kind = getattr(torch, name)
        count = size // kind.itemsize
        pairs = []
        for _ in range(sets(size)):
            x = (torch.rand(count, device="cuda", dtype=torch.float32) * 16 - 8).to(kind)
            pairs.append((x, torch.full_like(x, float("nan"))))
        for what, peer, call in [
            ("clamp", "torch.clamp", clamp),
            ("clamp", "torch.compile", lambda x, _: compiled_clamp(x)),
            ("scale, bias, clamp", "torch, three calls", eager),
            ("scale, bias, clamp", "torch.compile", lambda x, _: compiled(x)),
        ]:
            found.append((what, dtype, peer, call, pairs))
    return found


def cupy_contestants(size):
    """The same list for CuPy: its clip, and an elementwise kernel with scale and bias."""
    try:
        import cupy
    except ImportError as error:
        print(f"- CuPy: not measured, {error}")
        return []
    try:
        device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        print(f"- CuPy {cupy.__version__}: not measured, {error}")
        return []
    print(f"- CuPy: {cupy.__version__}, {device}")
    fused = cupy.ElementwiseKernel(
        "T x, float64 s, float64 b, float64 lo, float64 hi",
        "T y",
        "y = min(max((T)(x * (T)s + (T)b), (T)lo), (T)hi)",
        "scale_bias_clamp",
    )
    found = []
    for dtype in ["f32", "f64"]:
        count = size // (4 if dtype == "f32" else 8)
        pairs = []
        for _ in range(sets(size)):
            x = (cupy.random.rand(count, dtype=cupy.float32) * 16 - 8).astype(DTYPES[dtype])
            pairs.append((x, cupy.full_like(x, float("nan"))))
        found.append(("clamp", dtype, "cupy.clip", lambda x, y: cupy.clip(x, MIN, MAX, out=y), pairs))
        found.append(
            ("scale, bias, clamp", dtype, "CuPy kernel", lambda x, y: fused(x, SCALE, BIAS, MIN, MAX, y), pairs)
        )
    return found


def timer(name):
    """A function that returns the seconds of one of `repeats` calls, by the events of the library that is called."""
    if "upy" in name:
        import cupy

        def event():
            event = cupy.cuda.Event()
            event.record()
            return event

        def elapsed(start, end):
            end.synchronize()
            return cupy.cuda.get_elapsed_time(start, end)
    else:
        import torch

        def event():
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            return event

        def elapsed(start, end):
            end.synchronize()
            return start.elapsed_time(end)

    def seconds(call, pairs, repeats):
        start = event()
        for i in range(repeats):
            call(*pairs[i % len(pairs)])
        return elapsed(start, event()) / 1000 / repeats

    return seconds


def measure(contestants, rounds):
    """Samples of each contestant. They take turns, and the order rotates."""
    samples = [[] for _ in contestants]
    for what, dtype, name, call, pairs in contestants:
        timer(name)(call, pairs, 3)
    for turn in range(rounds):
        for n in range(len(contestants)):
            i = (turn + n) % len(contestants)
            _, _, name, call, pairs = contestants[i]
            samples[i].append(timer(name)(call, pairs, 8))
    return samples


def ours(path):
    """Our medians by row and dtype, and the bytes of each."""
    if path is None:
        return {}
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    wanted = {("contiguous", "clamp"), ("scale and bias", "scale, bias, clamp")}
    return {
        (row["name"], row["dtypes"]): (row["ours"]["median"], row["bytes"])
        for row in rows
        if (row["section"], row["name"]) in wanted and row["ours"]
    }


def line(row):
    figure = lambda seconds: f"{seconds * 1e6:.1f}"
    theirs = row["rivals"][0][1]
    shown = "–" if row["ours"] is None else f"{figure(row['ours']['median'])} µs"
    ratio = "–" if row["ratio"] is None else f"{row['ratio']:.2f}"
    spread = f"{figure(theirs['median'])} ({figure(theirs['q1'])}–{figure(theirs['q3'])}) µs"
    verdict = "**missed**" if row["verdict"] == "missed" else row["verdict"]
    return (
        f"| peers: {row['name']} | {row['dtype']} | {row['bytes'] >> 20} MiB | {shown} | {spread} "
        f"| {row['rivals'][0][0]} | {ratio} | ≥ 1.00 | {verdict} |"
    )


def outcome(contestant, samples, mine, size):
    """A row as `clamp-bench` writes it."""
    what, dtype, name, _, _ = contestant
    quartiles = statistics.quantiles(samples, n=4, method="inclusive")
    theirs = dict(median=quartiles[1], q1=quartiles[0], q3=quartiles[2], samples=samples)
    median, size_of_mine = mine.get((what, dtype), (None, None))
    same = median is not None and size_of_mine == size
    ratio = theirs["median"] / median if same else None
    verdict = "report" if ratio is None else "met" if ratio >= 1 else "missed"
    return {
        "section": "peers",
        "name": f"{what}, against {name}",
        "dtype": dtype,
        "bytes": size,
        "unit": "Seconds",
        "ours": {"median": median} if same else None,
        "rivals": [[name, theirs]],
        "ratio": ratio,
        "goal": "≥ 1.00",
        "target": 1.0,
        "time_over_time": False,
        "verdict": verdict,
        "error": None,
    }


def main():
    options = arguments()
    size = options.mib << 20
    contestants = torch_contestants(size) + cupy_contestants(size)
    if not contestants:
        print("\nNothing measured: this needs a CUDA device, and torch or CuPy built for it.")
        return 0
    mine = ours(options.ours)
    if not mine:
        print("- ours: none, so there are no ratios; --ours takes the file of `cargo xtask bench --json`")
    rows = [
        outcome(contestant, samples, mine, size)
        for contestant, samples in zip(contestants, measure(contestants, options.rounds))
    ]
    print("\n| row | dtype | bytes | ours | theirs | their best | ratio | goal | |")
    print("| --- | --- | --: | --: | --: | --- | --: | --- | --- |")
    for row in rows:
        print(line(row))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"rows": rows}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
