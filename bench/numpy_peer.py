# SPDX-License-Identifier: Apache-2.0
"""Usage: numpy_peer.py THREADS
What bench/simulations.cpp computes, by NumPy, where it has a function for it. Prints the name of each row and its
time in us, the median of calls. Only products use threads.
"""

import os
import sys

threads = sys.argv[1]
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = threads  # before NumPy is imported

from statistics import median  # noqa: E402
from time import perf_counter  # noqa: E402

import numpy as np  # noqa: E402

random = np.random.default_rng(1)


def uniform(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


square, small, middle, large = uniform(1024, 1024), uniform(64, 64), uniform(512, 512), uniform(2048, 2048)
ROWS = {
    "cumsum_rows": lambda: np.cumsum(square, axis=1),
    "cumsum_columns": lambda: np.cumsum(square, axis=0),
    "argmax_rows": lambda: np.argmax(square, axis=1).astype(np.float32),
    "transpose": lambda: np.ascontiguousarray(square.T),
    "sort_rows": lambda: np.sort(square, axis=1),
    "sum_of_columns": lambda: np.sum(square, axis=0),
    "sort_short_rows": lambda: np.sort(small, axis=1),
    "matmul_512": lambda: middle @ middle,
    "matmul_2048": lambda: large @ large,
    "variance_of_rows": lambda: np.var(square, axis=1),
}


def seconds(call):
    begin = perf_counter()
    call()
    return perf_counter() - begin


for row, call in ROWS.items():
    once = min(seconds(call) for _ in range(3))
    calls = max(5, min(2000, int(0.5 / once)))
    print(f"{row}/{threads} {1e6 * median(seconds(call) for _ in range(calls)):.2f}")
