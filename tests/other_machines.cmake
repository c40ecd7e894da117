# SPDX-License-Identifier: Apache-2.0
# Tests that run once more as on other machines: the label `plain` as a plainer one sees them
# (tests/support/plain_machine.hpp), and products of threads with the OpenBLAS that has no locks.
# Also products where OpenBLAS cannot be loaded. Not under sanitizers, which leave out most instruction sets anyway.
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "sanitize")
  return()
endif()

add_shards(plain.tensor_ tensor plain 2 2)
add_shards(plain.run_ run plain 1 1)
add_shards(plain.processes_ processes plain 1 1)
# One in three cases, by turns of the ops: the whole would take another minute and a half.
add_shards(plain.laws_of_teams_ laws plain 1 3 TEAM FILTER ${laws_of_teams})
add_shards(plain.laws_ laws plain 1 3 FILTER -${laws_of_teams})

# One case or more of a folder, with the OpenBLAS that has no locks.
set(serial_openblas /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial)
function(add_test_without_locks name folder cases)
  set(test ${folder}.${name}_with_the_openblas_that_has_no_locks)
  if(EXISTS ${serial_openblas}/libopenblas.so.0)
    add_test(NAME ${test}
      COMMAND ${PROJECT_SOURCE_DIR}/tools/run_shard --limit 300 0 1
              $<TARGET_FILE:${folder}_tests> --gtest_filter=${cases}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT "LD_LIBRARY_PATH=${serial_openblas};TUTTI_TEST_OPENBLAS=serial")
  else()
    add_test(NAME ${test} COMMAND ${PROJECT_SOURCE_DIR}/tools/skip "${serial_openblas} (libopenblas0-serial)")
    set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS ${folder} TIMEOUT 600)
endfunction()
add_test_without_locks(product_threads tensor *product_threads*:blas.*)
add_test_without_locks(version cli cli.prints_its_version*)

# An OpenBLAS that is an empty file, and one with sizes of 64 bits.
add_library(wide_openblas MODULE tensor/wide_openblas/wide_openblas.cpp)
set_target_properties(wide_openblas PROPERTIES PREFIX "" OUTPUT_NAME libopenblas SUFFIX .so.0
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/wide)
add_dependencies(tensor_tests wide_openblas)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/none/libopenblas.so.0 "")
foreach(kind none wide)
  add_test(NAME tensor.openblas_that_is_${kind}
    COMMAND tensor_tests --gtest_filter=blas.is_refused_where_no_library_fits WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(tensor.openblas_that_is_${kind} PROPERTIES LABELS tensor TIMEOUT 60
    ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/${kind};TUTTI_TEST_OPENBLAS=${kind}"
    PASS_REGULAR_EXPRESSION "  PASSED  . 1 test")
endforeach()

# Elementary functions without SLEEF, lane by lane: the definitions of cmake/sleef.cmake do not reach this folder.
add_executable(by_lane_tests ${PROJECT_SOURCE_DIR}/tutti/tensor/loops/simd/elementary.cpp
  tensor/math_test.cpp tensor/accuracy_test.cpp tensor/instruction_sets.cpp)
target_link_libraries(by_lane_tests PRIVATE tutti_test_support)
add_shards(tensor.by_lane_ by_lane tensor 1 1)
