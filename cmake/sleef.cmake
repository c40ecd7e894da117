# SPDX-License-Identifier: Apache-2.0
# Which functions SLEEF has. tutti/tensor/loops/simd/sleef_inl.hpp calls them by names that differ by instruction set, and
# takes those of the C library, lane by lane, where one is missing: SLEEF 4 has no cinz_.
# tutti_SLEEF_DEFINITIONS: TUTTI_SLEEF_HAS_<instruction set>, for each with all of its functions.
include(CheckCXXSourceCompiles)

set(functions tan_u10 asin_u10 acos_u10 atan_u10 sinh_u10 cosh_u10 asinh_u10 acosh_u10 atanh_u10 exp2_u10 log2_u10
  log10_u10 cbrt_u10 erfc_u15 lgamma_u10)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(instruction_sets finz:f4:d2:advsimd)
else()
  set(instruction_sets finz:f16:d8:avx512f finz:f8:d4:avx2 cinz:f4:d2:sse2 cinz:f1:d1:purec)
endif()

set(tutti_SLEEF_DEFINITIONS)
set(CMAKE_REQUIRED_LIBRARIES tutti::sleef)
foreach(row IN LISTS instruction_sets)
  string(REPLACE ":" ";" row ${row})
  list(GET row 0 kind)
  list(GET row 3 instruction_set)
  set(declared)
  set(used)
  foreach(function IN LISTS functions)
    string(REPLACE "_" ";" parts ${function})
    list(GET parts 0 name)
    list(GET parts 1 error)
    foreach(position 1 2)
      list(GET row ${position} vector)
      set(symbol Sleef_${kind}_${name}${vector}_${error}${instruction_set})
      string(APPEND declared "extern \"C\" void ${symbol}();\n")
      string(APPEND used "${symbol}, ")
    endforeach()
  endforeach()
  string(TOUPPER TUTTI_SLEEF_HAS_${instruction_set} has)
  # Called through volatile pointers, so that the linker looks for all of them.
  check_cxx_source_compiles("${declared}void (*volatile all[])() = {${used}};\nint main() { all[0](); }" ${has})
  if(${has})
    list(APPEND tutti_SLEEF_DEFINITIONS ${has})
  else()
    message(STATUS "SLEEF has not all functions for ${instruction_set}: those of the C library are taken, lane by lane")
  endif()
endforeach()
unset(CMAKE_REQUIRED_LIBRARIES)
