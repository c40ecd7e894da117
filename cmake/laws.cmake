# SPDX-License-Identifier: Apache-2.0
# tutti_add_laws(NAME SOURCE..): a program that tries the laws of Tutti's own tests on a user's ops. One of the sources
# defines `std::vector<tutti::ops::OpRow> tutti::tried_ops()`. docs/write_your_own_op.md shows a project that does so.
# The laws are compiled with the project: they need GoogleTest (libgtest-dev).

# tests/laws without what is about Tutti's own ops, and what these files include. The installed copy has them beside this
# file.
set(tutti_LAWS
  tests/laws/law.hpp tests/laws/law.cpp tests/laws/planted.hpp tests/laws/transforms.hpp tests/laws/transforms.cpp
  tests/laws/adjoint_test.cpp tests/laws/batch_test.cpp tests/laws/communicates_test.cpp
  tests/laws/finite_difference_test.cpp tests/laws/lowering_test.cpp tests/laws/meaning_test.cpp tests/laws/processes_test.cpp
  tests/laws/refusals_test.cpp tests/laws/runtime_test.cpp tests/laws/soundness_test.cpp tests/laws/types_test.cpp
  tests/support/halves.hpp tests/support/many_processes.hpp tests/support/many_processes.cpp
  tests/support/programs.hpp tests/support/programs.cpp
  tests/support/reference.hpp tests/support/reference.cpp tests/support/slopes.hpp tests/support/slopes.cpp
  tests/support/values.hpp tests/support/values.cpp)
set(tutti_LAWS_FOLDER ${CMAKE_CURRENT_LIST_DIR})
if(NOT EXISTS ${tutti_LAWS_FOLDER}/tests)
  cmake_path(GET tutti_LAWS_FOLDER PARENT_PATH tutti_LAWS_FOLDER)
endif()
set_property(GLOBAL PROPERTY tutti_laws_folder ${tutti_LAWS_FOLDER})
set_property(GLOBAL PROPERTY tutti_laws_sources ${tutti_LAWS})

function(tutti_add_laws name)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "tutti_add_laws(${name}): the laws need GoogleTest (libgtest-dev)")
  endif()
  if(NOT TARGET tutti_laws)
    get_property(folder GLOBAL PROPERTY tutti_laws_folder)
    get_property(sources GLOBAL PROPERTY tutti_laws_sources)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(TRANSFORM sources PREPEND ${folder}/)
    add_library(tutti_laws OBJECT EXCLUDE_FROM_ALL ${sources})
    target_compile_options(tutti_laws PRIVATE -w -O1 -ffp-contract=off)  # whatever the project's own flags are
    target_include_directories(tutti_laws PRIVATE ${folder})
    target_link_libraries(tutti_laws PUBLIC tutti::tutti GTest::gtest_main)
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tutti_laws)
endfunction()
