# SPDX-License-Identifier: Apache-2.0
"""Tests of what CMake makes of options, and of libraries in other folders. Nothing is built."""

import re
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

HEADERS = {
    "hwy": "hwy/highway.h",
    "hwy_contrib": "hwy/contrib/sort/vqsort.h",
    "dnnl": "dnnl.hpp",
    "hwloc": "hwloc.h",
    "sleef": "sleef.h",
    "zip": "zip.h",
}
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
foreach(library hwy hwy_contrib dnnl hwloc sleef zip)
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
        assert f"{name}: {root}/prefix/lib/lib{name}.a {root}/prefix/include " in result[1] + " ", (name, result[1])
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


def catches_the_tool_without_the_kernels(root: Path) -> None:
    expect_caught(library(root, "-DTUTTI_KERNELS=OFF"), "TUTTI_TOOL=ON: the tool has the subcommand kernel")


def accepts_a_copy_without_kernels(root: Path) -> None:
    expect_clean(library(root, "-DTUTTI_TOOL=OFF", "-DTUTTI_KERNELS=OFF"))
    assert (root / "build/tutti.pc").exists() and not (root / "build/tutti-kernels.pc").exists()
    assert "tutti/kernels" not in (root / "build/build.ninja").read_text()


def catches_mpi_that_is_not_there(root: Path) -> None:
    hidden = ("-DTUTTI_TOOL=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON")
    expect_caught(library(root / "on", *hidden, "-DTUTTI_MPI=ON"), "TUTTI_MPI=ON: there is no MPI (libopenmpi-dev)")
    for mpi in ("AUTO", "OFF"):
        status, output = library(root / mpi, *hidden, f"-DTUTTI_MPI={mpi}")
        expect_clean((status, output))
        assert ("tutti::mpi is left out: there is no MPI" in output) == (mpi == "AUTO"), output
        assert not (root / mpi / "build/tutti-mpi.pc").exists()
        assert "tutti/mpi" not in (root / mpi / "build/build.ninja").read_text()


def accepts_another_project_that_does_not_ask_for_mpi(root: Path) -> None:
    status, output = project(root, ELSEWHERE)
    expect_clean((status, output))
    assert "tutti::mpi" not in output, output


def accepts_the_demo_without_what_tests_need(root: Path) -> None:
    hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("GTest", "rapidcheck", "benchmark", "MPI")]
    line = next(line for line in (planted.ROOT / "Makefile").read_text().splitlines() if "cmake --preset release -D" in line)
    status, output = planted.run("cmake", "-S", planted.ROOT, "-B", root / "build", *line.split("cmake")[1].split(), *hidden)
    expect_clean((status, output))


# A SLEEF that has the functions with fused multiply-add, and none without: SLEEF 4 drops cinz_.
SLEEF = f"""cmake_minimum_required(VERSION 3.25)
project(user C CXX)
add_library(tutti::sleef UNKNOWN IMPORTED)
set_target_properties(tutti::sleef PROPERTIES IMPORTED_LOCATION "${{CMAKE_SOURCE_DIR}}/libsleef.a")
include("{planted.ROOT}/cmake/sleef.cmake")
message(STATUS "has: ${{tutti_SLEEF_DEFINITIONS}}.")
"""


def accepts_a_sleef_that_lacks_functions(root: Path) -> None:
    names = "tan asin acos atan sinh cosh asinh acosh atanh exp2 log2 log10 cbrt erfc lgamma".split()
    for end, expected in (("tan", "TUTTI_SLEEF_HAS_AVX2"), ("sinh", "")):
        work = root / end
        functions = [f"Sleef_finz_{name}{vector}_{'u15' if name == 'erfc' else 'u10'}{kind}"
                     for name in names for vector, kind in (("f8", "avx2"), ("d4", "avx2"), ("f16", "avx512f"))
                     if not (expected == "" and name == end)]
        planted.write(work, "user/sleef.c", "".join(f"void {name}() {{}}\n" for name in functions))
        for command in (("gcc", "-c", "sleef.c"), ("ar", "rc", "libsleef.a", "sleef.o")):
            planted.run("env", "-C", work / "user", *command)
        result = project(work, SLEEF, "-DCMAKE_SYSTEM_PROCESSOR=x86_64")
        expect_clean(result)
        assert f"has: {expected}." in result[1], result[1]
        assert "SLEEF has not all functions for sse2: those of the C library are taken" in result[1], result[1]


def accepts_relative_and_absolute_install_folders(root: Path) -> None:
    expect_clean(library(root, "-DCMAKE_INSTALL_LIBDIR=lib/x"))
    text = (root / "build/tutti.pc").read_text()
    assert "prefix=${pcfiledir}/../../../\nlibdir=${prefix}/lib/x\nincludedir=${prefix}/include\n" in text, text
    expect_clean(library(root, "-DCMAKE_INSTALL_PREFIX=/p/t", "-DCMAKE_INSTALL_LIBDIR=/p/l"))
    text = (root / "build/tutti.pc").read_text()
    assert "prefix=/p/t\nlibdir=/p/l\nincludedir=${prefix}/include\n" in text, text


if __name__ == "__main__":
    planted.main()
