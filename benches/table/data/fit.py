"""Fits the weights of the model in `src/model.rs` to `h200.tsv`: to all rows, and without each kind of rows in turn. Needs
numpy and scipy. Weights whose terms have few rows keep the values below."""

import csv
import pathlib

import numpy as np
from scipy.optimize import minimize
from scipy.stats import spearmanr

# bytes, torn stores, stores, loads, operations, warps, indexed arrays, table, uniform addresses, workgroup memory
WEIGHTS = np.array([2.65e-7, 2.99e-5, 1.08e-5, 6.7e-6, 1.58e-6, 1.02e-4, 5.3e-5, 6.5e-6, 2.7e-5, 3.8e-6])
FITTED = 6
MEMORY = np.array([True] * 4 + [False] * 3 + [True] * 2 + [False])
KINDS = [
    ("contiguous", "scale and bias"),
    ("permutations", "eight dimensions"),
    ("pictures", "gaps in words"),
    ("rows", "broadcast, against a fill"),
]

with open(pathlib.Path(__file__).with_name("h200.tsv"), encoding="utf-8") as file:
    rows = list(csv.reader(file, delimiter="\t"))[1:]
measured = np.array([float(row[1]) for row in rows])
counts = np.array([row[2:] for row in rows], dtype=float)
kinds = np.array(
    [next((n for n, kind in enumerate(KINDS) if row[0].split(":")[0] in kind), len(KINDS)) for row in rows]
)


def times(weights, counts):
    """Predicts as `Work::time` of `src/model.rs` does."""
    squares = (counts * weights) ** 2
    memory, instructions = squares[:, MEMORY].sum(axis=1), squares[:, ~MEMORY].sum(axis=1)
    return np.sqrt(np.hypot(memory, instructions))


def fit(taken):
    """The weights for the rows that are taken, near those above where the rows leave them open."""

    def loss(logs):
        error = np.log(times(np.append(np.exp(logs), WEIGHTS[FITTED:]), counts[taken]) / measured[taken])
        return np.mean(np.abs(error) ** 1.3) + 2e-4 * np.mean((logs - np.log(WEIGHTS[:FITTED])) ** 2)

    logs = np.log(WEIGHTS[:FITTED])
    for _ in range(4):
        logs = minimize(loss, logs, method="L-BFGS-B", options={"maxiter": 5000}).x
    return np.append(np.exp(logs), WEIGHTS[FITTED:])


def tell(name, weights):
    """Prints the fitted weights."""
    print(f"{name}: {', '.join(f'{weight:.3g}' for weight in weights[:FITTED])}")


def judge(name, predicted):
    """Prints how well the measured times are predicted."""
    error = np.median(np.abs(np.log(predicted / measured)))
    print(f"{name}: rank correlation {spearmanr(measured, predicted)[0]:.3f}, median error {error:.3f}")


everything = fit(kinds >= 0)
tell("all rows", everything)
unseen = np.zeros(len(rows))
for kind, name in enumerate([*KINDS, ("kernels by hand",)]):
    weights = fit(kinds != kind)
    unseen[kinds == kind] = times(weights, counts[kinds == kind])
    tell(f"without {', '.join(name)}", weights)
judge("by the weights of all rows", times(everything, counts))
judge("each row by the weights that were fitted without its kind", unseen)
