# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/run_shard: cases that fail, die, hang and are skipped."""

import os
from pathlib import Path

import planted
from planted import expect_caught, expect_clean


def shard(what: str, index: int, total: int, *notes: Path) -> tuple[int, str]:
    os.environ.update(PLANTED=what, RUN_SHARD_LIMIT_S="3" if what == "hang" else "60")
    return planted.run(planted.ROOT / "tools/run_shard", planted.PROGRAMS / "planted_cases", index, total, *notes)


def catches_a_case_that_fails(root: Path) -> None:
    expect_caught(shard("fail", 0, 1), "as planted")


def catches_a_case_that_dies_and_names_it_alone(root: Path) -> None:
    expect_caught(shard("die", 0, 1), "fail alone, too: planted.does_what_it_is_asked_for (exit status -6)\n")


def catches_a_case_that_hangs_and_names_it_alone(root: Path) -> None:
    expect_caught(shard("hang", 0, 1), "fail alone, too: planted.does_what_it_is_asked_for (hangs)\n")


def accepts_a_shard_without_the_case_that_dies(root: Path) -> None:
    expect_clean(shard("die", 1, 2))
    expect_caught(shard("die", 0, 2), "planted.does_what_it_is_asked_for")


def accepts_a_skipped_case_and_notes_why(root: Path) -> None:
    expect_clean(shard("skip", 0, 1, root / "notes"))
    assert (root / "notes").read_text() == "planted.does_what_it_is_asked_for: there is no such library\n"
