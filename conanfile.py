# SPDX-License-Identifier: Apache-2.0
"""A Conan recipe (Conan 2): `conan create .` builds Tutti, with the system's libraries.

Those are Debian's packages of docs/install.md: Conan says which are missing, and installs them with
-c tools.system.package_manager:mode=install. Users find the package as every installed copy: find_package(tutti).
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.0"


class Tutti(ConanFile):
    name = "tutti"
    license = "Apache-2.0"
    description = "SPMD array programs: types, derivatives, batching and execution through every collective"
    topics = ("spmd", "automatic-differentiation", "collectives", "stablehlo")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "tool": [True, False], "kernels": [True, False], "mpi": [True, False]}
    default_options = {"shared": False, "tool": True, "kernels": True, "mpi": False}
    exports_sources = ("CMakeLists.txt", "cmake/*", "tutti/*", "examples/*", "tests/laws/*", "tests/support/*", "tools/completions",
                       "tools/man_pages", "tools/gdb/*", "docs/*", "README.md", "CHANGELOG.md", "SECURITY.md", "CITATION.cff",
                       "LICENSE", "!*/__pycache__/*")
    test_package_folder = "tests/conan"

    def set_version(self):
        header = (Path(self.recipe_folder) / "tutti/version.hpp").read_text()
        self.version = re.search(r'version_text = "([\d.]+)"', header)[1]

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")  # Tutti is C++20, whatever the profile says, and so are its users
        if self.options.tool:
            self.options.kernels = True  # the tool has the subcommand kernel

    def layout(self):
        cmake_layout(self)

    def system_requirements(self):
        packages = ["libfmt-dev", "libhwy-dev", "libdnnl-dev", "libhwloc-dev", "libsleef-dev", "libzip-dev", "libasio-dev",
                    "nlohmann-json3-dev"]
        packages += ["libcli11-dev"] if self.options.tool else []
        packages += ["libopenmpi-dev"] if self.options.mpi else []
        Apt(self).install(packages)

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.user_presets_path = False  # the repository has presets of its own
        variables = {"TUTTI_TESTS": False, "TUTTI_EXAMPLES": False, "TUTTI_TOOL": bool(self.options.tool),
                     "TUTTI_KERNELS": bool(self.options.kernels), "TUTTI_MPI": "ON" if self.options.mpi else "OFF"}
        toolchain.cache_variables.update(variables)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        copy(self, "copyright", Path(self.source_folder) / "cmake", Path(self.package_folder) / "licenses")

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # our own tuttiConfig.cmake
        self.cpp_info.builddirs = ["lib/cmake/tutti"]
        self.cpp_info.includedirs, self.cpp_info.libdirs = ["include"], ["lib"]
        self.cpp_info.bindirs = ["bin"] if self.options.tool else []
