# SPDX-License-Identifier: Apache-2.0
# The FFT of ducc: headers that two sources of ours compile. TUTTI_DUCC is the folder of its sources, AUTO or OFF; without them
# the library is built all the same, and refuses fft when a program is compiled.
set(ducc_folder ${TUTTI_DUCC})
if(TUTTI_DUCC STREQUAL AUTO)
  set(ducc_folder ${PROJECT_SOURCE_DIR}/.ducc)
endif()
cmake_path(ABSOLUTE_PATH ducc_folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
set(ducc_includes)
foreach(folder ${ducc_folder}/src ${ducc_folder})
  if(EXISTS ${folder}/ducc0/fft/fft1d_impl.h AND NOT ducc_includes)
    set(ducc_includes ${folder})
  endif()
endforeach()
set(ducc_sources tutti/tensor/fft/ducc_portable.cpp)
# GCC alone compiles one source for AVX2 without a flag that would also reach inline functions of the standard library.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND ducc_sources tutti/tensor/fft/ducc_avx2.cpp)
endif()
list(REMOVE_ITEM library_sources tutti/tensor/fft/ducc_portable.cpp tutti/tensor/fft/ducc_avx2.cpp)
if(ducc_includes)
  message(STATUS "fft is built, with ducc: ${ducc_includes}")
  list(PREPEND library_sources ${ducc_sources})  # they take longest
  set_source_files_properties(${ducc_sources} PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON INCLUDE_DIRECTORIES ${ducc_includes} COMPILE_FLAGS -w)
  # The source that most processors run; the other one would take 7 s more to compile.
  list(GET ducc_sources -1 fastest)
  set_source_files_properties(${fastest} PROPERTIES COMPILE_FLAGS "-w $<$<CONFIG:Release>:-O3>")
  set(ducc_definitions TUTTI_HAS_DUCC)
  if(tutti/tensor/fft/ducc_avx2.cpp IN_LIST ducc_sources)
    list(APPEND ducc_definitions TUTTI_HAS_DUCC_AVX2)
  endif()
  set_source_files_properties(tutti/tensor/fft/fft.cpp PROPERTIES COMPILE_DEFINITIONS "${ducc_definitions}")
elseif(NOT TUTTI_DUCC MATCHES "^(AUTO|OFF)$")
  message(FATAL_ERROR "TUTTI_DUCC=${TUTTI_DUCC}: there is no src/ducc0/fft/fft1d_impl.h; give the folder of ducc's sources, or OFF")
else()
  message(STATUS "fft is left out: there are no sources of ducc (tools/setup, or -DTUTTI_DUCC=folder)")
endif()
