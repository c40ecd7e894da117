# SPDX-License-Identifier: Apache-2.0
"""Runs one self test of a gate: `layers_test.py catches_a_cycle build/release/bin` calls the function of that name.

A self test plants a defect in a temporary folder and sees the gate catch it; it fails by AssertionError.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sys.argv[2])  # the folder of the build that has its programs


def write(folder: Path, file: str, text: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text)


def run(*command: object) -> tuple[int, str]:
    """Exit status and everything printed."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def expect_caught(result: tuple[int, str], message: str) -> None:
    status, output = result
    assert status != 0, f"the planted defect was not caught:\n{output}"
    assert message in output, f"'{message}' is missing in:\n{output}"


def expect_clean(result: tuple[int, str]) -> None:
    status, output = result
    assert status == 0, f"refused without a defect:\n{output}"


def main() -> None:
    test = vars(sys.modules["__main__"])[sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder:
        test(Path(folder).resolve())
    print(f"{sys.argv[1]}: passed")
