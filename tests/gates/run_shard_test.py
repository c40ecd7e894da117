# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/run_shard: cases that fail, die, hang, end the process and are skipped."""

import os
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

CASE = "planted.does_what_it_is_asked_for"


def shard(what: str, index: int = 0, total: int = 1, *, more: tuple = (), filters: tuple = ()) -> tuple[int, str]:
    os.environ["PLANTED"] = what
    return planted.run(planted.ROOT / "tools/run_shard", "--limit", 10 if what == "hang" else 60, *more, index, total,
                       planted.PROGRAMS / "planted_cases", *filters)


def catches_a_case_that_fails(root: Path) -> None:
    expect_caught(shard("fail"), "as planted")


def catches_a_case_that_dies_and_names_it_alone(root: Path) -> None:
    result = shard("die")
    expect_caught(result, f"fails alone, too: {CASE} (ends with status -6 before GoogleTest does)\n")
    assert result[1].count("fails alone") == 1, result[1]


def catches_a_case_that_hangs_and_names_it(root: Path) -> None:
    expect_caught(shard("hang"), f"fails alone, too: {CASE} (hangs)\n")


def catches_a_case_that_ends_the_process_as_if_all_had_passed(root: Path) -> None:
    expect_caught(shard("exit0"), f"fails alone, too: {CASE} (ends with status 0 before GoogleTest does)\n")


def catches_a_case_that_ends_the_process_as_if_one_had_failed(root: Path) -> None:
    expect_caught(shard("exit1"), f"fails alone, too: {CASE} (ends with status 1 before GoogleTest does)\n")


def catches_a_process_that_fails_after_its_cases(root: Path) -> None:
    expect_caught(shard("exit1 at the end"), "the shard ends with status 1 after its cases;")


def catches_a_filter_that_matches_nothing(root: Path) -> None:
    expect_caught(shard("", filters=("--gtest_filter=no.such_case",)), "no case to run")


def catches_a_shard_without_cases(root: Path) -> None:
    expect_caught(shard("", 5, 6), "no case to run")


def accepts_a_shard_without_the_case_that_dies(root: Path) -> None:
    expect_clean(shard("die", 1, 2))
    expect_caught(shard("die", 0, 2), CASE)


def accepts_a_filter_without_the_case_that_dies(root: Path) -> None:
    expect_clean(shard("die", filters=("--gtest_filter=planted.pass*",)))
    expect_caught(shard("die", filters=("--gtest_filter=*asked*",)), CASE)


def accepts_a_skipped_case_and_notes_why(root: Path) -> None:
    expect_clean(shard("skip", more=("--notes", root / "notes")))
    assert (root / "notes").read_text() == f"{CASE}: there is no such library\n"


if __name__ == "__main__":
    planted.main()
