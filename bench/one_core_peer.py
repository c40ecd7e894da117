# SPDX-License-Identifier: Apache-2.0
"""bench/programs_peer.py on one core: bound to it before JAX counts the cores."""

import os

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

from programs_peer import ROWS, answer  # noqa: E402

answer(lambda name, size: ROWS[name](size))
