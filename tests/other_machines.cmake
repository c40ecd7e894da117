# SPDX-License-Identifier: Apache-2.0
# Tests that run once more as on other machines: the label `plain` as a plainer one sees them
# (tests/support/plain_machine.hpp), and products of threads with the OpenBLAS that has no locks.
# Not under sanitizers, which leave out most instruction sets anyway.
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "sanitize")
  return()
endif()

add_shards(plain.tensor_ tensor plain 2 2)
add_shards(plain.run_ run plain 1 1)
add_shards(plain.laws_ laws plain 1 3)  # one in three cases, by turns of the ops: the whole would take another minute and a half

set(serial_openblas /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial)
set(name tensor.product_threads_with_the_openblas_that_has_no_locks)
if(EXISTS ${serial_openblas}/libopenblas.so.0)
  add_test(NAME ${name} COMMAND tensor_tests --gtest_filter=*product_threads*:blas.*
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "LD_LIBRARY_PATH=${serial_openblas};TUTTI_TEST_OPENBLAS=serial")
else()
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${serial_openblas} is not installed")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endif()
set_tests_properties(${name} PROPERTIES LABELS tensor TIMEOUT 120)
