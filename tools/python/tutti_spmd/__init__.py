# SPDX-License-Identifier: Apache-2.0
"""The wheel of Tutti, a C++ library. This module only says where it lies and starts the tool.

Example:
    cmake -B build -DCMAKE_PREFIX_PATH="$(python -m tutti_spmd)"
"""

import os
import sys
from pathlib import Path


def prefix() -> Path:
    """The folder with bin, include, lib and share: a CMAKE_PREFIX_PATH for find_package(tutti)."""
    return Path(__file__).resolve().parent


def run() -> None:
    """Become the tool, with the arguments of this process."""
    tool = prefix() / "bin/tutti"
    os.execv(tool, [str(tool), *sys.argv[1:]])
