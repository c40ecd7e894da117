# SPDX-License-Identifier: Apache-2.0
"""What `conan create .` tries with the package: the project of a user, tests/install, and what its program prints."""

import io
from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout

USER = "tests/install"


class UserOfTutti(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self, src_folder=f"../../{USER}", generator="Ninja")

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.user_presets_path = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        printed = io.StringIO()
        self.run(str(Path(self.build_folder) / "hello"), printed, env="conanrun")
        expected = (Path(self.source_folder) / "hello.out").read_text()
        if printed.getvalue() != expected:
            raise AssertionError(f"hello printed\n{printed.getvalue()}instead of\n{expected}")
