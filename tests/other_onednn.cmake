# SPDX-License-Identifier: Apache-2.0
# Products once more with oneDNN 3, whose interface and library are not those of oneDNN 2: the source that uses oneDNN and
# its tests are compiled with the headers that tools/setup puts into .venv, for x86-64.
set(TUTTI_OTHER_ONEDNN ${PROJECT_SOURCE_DIR}/.venv CACHE PATH "Folder with include/ and lib/ of another oneDNN")
mark_as_advanced(TUTTI_OTHER_ONEDNN)
set(other_dnnl ${TUTTI_OTHER_ONEDNN}/lib/libdnnl.so.3)
if(NOT EXISTS ${other_dnnl} OR NOT EXISTS ${TUTTI_OTHER_ONEDNN}/include/dnnl.hpp)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64")
    add_test(NAME tensor.onednn_3 COMMAND ${PROJECT_SOURCE_DIR}/tools/skip
      "oneDNN 3 in ${TUTTI_OTHER_ONEDNN}: pip could not fetch onednn-devel-cpu-gomp and onednn-cpu-gomp")
    set_tests_properties(tensor.onednn_3 PROPERTIES LABELS tensor SKIP_RETURN_CODE 77)
  endif()
  return()
endif()

add_executable(onednn_3_tests
  ${PROJECT_SOURCE_DIR}/tutti/tensor/products/float_product.cpp tensor/onednn_3/version_test.cpp
  tensor/product_test.cpp tensor/product_threads_test.cpp tensor/half_test.cpp tensor/instruction_sets.cpp)
# counted_memory.cpp, which libraries_test.cpp needs, defines operator new. So does clang's thread sanitizer.
if(NOT CMAKE_CXX_FLAGS_DEBUG MATCHES "sanitize=thread")
  target_sources(onednn_3_tests PRIVATE processes/libraries_test.cpp processes/counted_memory.cpp)
endif()
target_compile_options(onednn_3_tests PRIVATE -O1)
target_include_directories(onednn_3_tests SYSTEM BEFORE PRIVATE ${TUTTI_OTHER_ONEDNN}/include)
# Before all other libraries. The linker then takes neither our archive's float_product nor its oneDNN.
target_link_libraries(onednn_3_tests PRIVATE ${other_dnnl} tutti_test_support)
target_link_options(onednn_3_tests PRIVATE -Wl,--as-needed)
add_shards(tensor.onednn_3_ onednn_3 tensor 1 1)
add_dependencies(unit_tests onednn_3_tests)
add_dependencies(thread_tests onednn_3_tests)
