"""Times torch for `cargo xtask bench --peers`, on CUDA if there is a device: step, name and milliseconds of each line.

    python3 torch_clamp.py MIB
"""

import statistics
import sys
import time

import torch

ROUNDS = 11
CALLS = 8
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def milliseconds(call):
    samples = []
    # The first round warms up.
    for _ in range(1 + ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        samples.append((time.perf_counter() - start) * 1e3 / CALLS)
    return statistics.median(samples[1:])


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    count = (int(sys.argv[1]) << 20) // 4
    x = torch.rand(count, device=device) * 16 - 8
    pixels = torch.randint(0, 256, (count * 8 // 15, 3), dtype=torch.uint8, device=device)
    mean, deviation = (torch.tensor(numbers, device=device).view(3, 1) for numbers in (MEAN, DEVIATION))
    scale, bias = 1 / (255 * deviation), -mean / deviation
    steps = {
        "Clamp": lambda: torch.clamp(x, -4.1, 3.9),
        "ScaleBiasClamp": lambda: torch.clamp(x * 1.75 - 0.25, -4.1, 3.9),
        "PicturePlanes": lambda: torch.clamp(pixels.T * scale + bias, -2.0, 2.2).contiguous(),
    }
    for step, call in steps.items():
        print(step, f"torch {torch.__version__} on {device}", milliseconds(call), sep="\t")
        # On a CPU, compiling needs a compiler of C++.
        if device == "cuda":
            print(step, "torch.compile", milliseconds(torch.compile(call)), sep="\t")


main()
