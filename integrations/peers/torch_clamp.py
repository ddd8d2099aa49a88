"""Times torch for `cargo xtask bench --peers`, on CUDA if there is a device: a line for each step, with the name and the
milliseconds of one call, two and CALLS, of the fastest sample each. Each call has an input of its own.

    python3 torch_clamp.py MIB
"""

import sys
import time

import torch

ROUNDS = 15
CALLS = 8
# As in main.rs.
SAMPLES = [1, 2, 1, 2, 1, 2, CALLS]
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def sample(call, inputs):
    start = time.perf_counter()
    # All outputs are kept, as those of the other libraries.
    outputs = [call(x) for x in inputs]
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    milliseconds = (time.perf_counter() - start) * 1e3
    del outputs
    return milliseconds


def fastest(call, inputs):
    samples = [(calls, sample(call, inputs[:calls])) for calls in SAMPLES * ROUNDS]
    return [min(milliseconds for calls, milliseconds in samples if calls == n) for n in (1, 2, CALLS)]


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    count = (int(sys.argv[1]) << 20) // 4
    floats = [torch.rand(count, device=device) * 16 - 8 for _ in range(CALLS)]
    shape = (count * 8 // 15, 3)
    pictures = [torch.randint(0, 256, shape, dtype=torch.uint8, device=device) for _ in range(CALLS)]
    mean, deviation = (torch.tensor(numbers, device=device).view(3, 1) for numbers in (MEAN, DEVIATION))
    scale, bias = 1 / (255 * deviation), -mean / deviation
    steps = {
        "Clamp": (lambda x: torch.clamp(x, -4.1, 3.9), floats),
        "ScaleBiasClamp": (lambda x: torch.clamp(x * 1.75 - 0.25, -4.1, 3.9), floats),
        "PicturePlanes": (lambda x: torch.clamp(x.T * scale + bias, -2.0, 2.2).contiguous(), pictures),
    }
    for step, (call, inputs) in steps.items():
        print(step, f"torch {torch.__version__} on {device}", *fastest(call, inputs), sep="\t")
        # On a CPU, compiling needs a compiler of C++.
        if device == "cuda":
            print(step, "torch.compile", *fastest(torch.compile(call), inputs), sep="\t")


main()
