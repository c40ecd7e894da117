# SPDX-License-Identifier: Apache-2.0
"""Tests of what CMake makes of options, and of libraries in other folders. Nothing is built."""

import re
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

HEADERS = {"hwy": "hwy/highway.h", "dnnl": "dnnl.hpp", "openblas": "openblas/openblas_config.h", "hwloc": "hwloc.h",
           "sleef": "sleef.h", "zip": "zip.h"}
HEADERS_ALONE = {"asio": "asio.hpp"}
# Prints where the libraries and their headers were found, or what is missing.
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(user CXX)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
include("{planted.ROOT}/cmake/dependencies.cmake")
if(tutti_missing)
  message(FATAL_ERROR "missing: ${{tutti_missing}}")
endif()
foreach(library hwy dnnl openblas hwloc sleef zip)
  get_target_property(file tutti::${{library}} IMPORTED_LOCATION)
  get_target_property(folder tutti::${{library}} INTERFACE_INCLUDE_DIRECTORIES)
  message(STATUS "${{library}}: ${{file}} ${{folder}}")
endforeach()
if(tutti_NEEDS_HEADERS)
  get_target_property(folder tutti::asio INTERFACE_INCLUDE_DIRECTORIES)
  message(STATUS "asio: ${{folder}}")
endif()
"""
ELSEWHERE = f"""cmake_minimum_required(VERSION 3.25)
project(user CXX)
add_subdirectory("{planted.ROOT}" tutti)
"""


def configured(root: Path, source: Path, *options: str) -> tuple[int, str]:
    status, output = planted.run("cmake", "-G", "Ninja", "-S", source, "-B", root / "build", *options)
    return status, re.sub(r"\s+", " ", output)  # CMake breaks lines


def project(root: Path, text: str, *options: str) -> tuple[int, str]:
    planted.write(root, "user/CMakeLists.txt", text)
    return configured(root, root / "user", *options)


def library(root: Path, *options: str) -> tuple[int, str]:
    return configured(root, planted.ROOT, "-DTUTTI_TESTS=OFF", "-DTUTTI_EXAMPLES=OFF", *options)


def libraries_elsewhere(root: Path, *options: str, without: str = "") -> tuple[int, str]:
    """A prefix with libraries and headers, and with fmt 10. Debian's folders are not searched."""
    for name, header in HEADERS.items():
        planted.write(root, f"prefix/lib/lib{name}.a", "")
        if name != without:
            planted.write(root, f"prefix/include/{header}", "")
    for name, header in HEADERS_ALONE.items():
        if name != without:
            planted.write(root, f"prefix/include/{header}", "")
    planted.write(root, "prefix/lib/cmake/fmt/fmt-config.cmake", "add_library(fmt::fmt INTERFACE IMPORTED)")
    version = "set(PACKAGE_VERSION 10.1.0)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n" \
              "if(PACKAGE_FIND_VERSION_RANGE AND NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX)\n" \
              "  set(PACKAGE_VERSION_COMPATIBLE FALSE)\nendif()\n"
    planted.write(root, "prefix/lib/cmake/fmt/fmt-config-version.cmake", version)
    return project(root, PROJECT, f"-DCMAKE_PREFIX_PATH={root}/prefix", *options)


def accepts_libraries_and_headers_of_another_prefix(root: Path) -> None:
    result = libraries_elsewhere(root, "-Dtutti_NEEDS_HEADERS=ON")
    expect_clean(result)
    for name, header in HEADERS.items():
        folder = "include/openblas" if name == "openblas" else "include"
        assert f"{name}: {root}/prefix/lib/lib{name}.a {root}/prefix/{folder} " in result[1] + " ", (name, result[1])
    for name in HEADERS_ALONE:
        assert f"{name}: {root}/prefix/include " in result[1] + " ", (name, result[1])


def accepts_libraries_without_headers_where_tutti_is_installed(root: Path) -> None:
    for name in HEADERS:
        result = libraries_elsewhere(root / name, without=name)
        expect_clean(result)
        assert f"lib{name}.a folder-NOTFOUND" in result[1], result[1]
    for name in HEADERS_ALONE:
        expect_clean(libraries_elsewhere(root / name, without=name))


def catches_a_missing_header(root: Path) -> None:
    for name in HEADERS | HEADERS_ALONE:
        expect_caught(libraries_elsewhere(root / name, "-Dtutti_NEEDS_HEADERS=ON", without=name), f"missing: {name} (lib")


def catches_another_fmt_than_that_of_the_build(root: Path) -> None:
    expect_caught(libraries_elsewhere(root, "-Dtutti_FMT_MAJOR=9"), "missing: fmt 9 (libfmt-dev)")
    expect_clean(libraries_elsewhere(root / "same", "-Dtutti_FMT_MAJOR=10"))


def catches_tests_without_the_tool_or_the_examples(root: Path) -> None:
    for option in ("TUTTI_TOOL", "TUTTI_EXAMPLES"):
        expect_caught(configured(root, planted.ROOT, f"-D{option}=OFF"), "set TUTTI_TOOL=ON and TUTTI_EXAMPLES=ON")


def catches_tests_in_another_project(root: Path) -> None:
    expect_caught(project(root, ELSEWHERE, "-DTUTTI_TESTS=ON"), "TUTTI_TESTS=ON: the tests run in Tutti's own build only")


def accepts_another_project_that_installs_us_and_makes_its_own_packages(root: Path) -> None:
    expect_clean(project(root, ELSEWHERE, "-DTUTTI_INSTALL=ON"))
    assert not (root / "build/tutti/CPackConfig.cmake").exists() and not (root / "build/CPackConfig.cmake").exists()


def accepts_relative_and_absolute_install_folders(root: Path) -> None:
    expect_clean(library(root, "-DCMAKE_INSTALL_LIBDIR=lib/x"))
    text = (root / "build/tutti.pc").read_text()
    assert "prefix=${pcfiledir}/../../../\nlibdir=${prefix}/lib/x\nincludedir=${prefix}/include\n" in text, text
    expect_clean(library(root, "-DCMAKE_INSTALL_PREFIX=/p/t", "-DCMAKE_INSTALL_LIBDIR=/p/l"))
    text = (root / "build/tutti.pc").read_text()
    assert "prefix=/p/t\nlibdir=/p/l\nincludedir=${prefix}/include\n" in text, text


if __name__ == "__main__":
    planted.main()
