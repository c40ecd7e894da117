# SPDX-License-Identifier: Apache-2.0
"""Prints the folder for CMAKE_PREFIX_PATH."""

from tutti_spmd import prefix

print(prefix())
