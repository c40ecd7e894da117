# SPDX-License-Identifier: Apache-2.0
# Writes the texts that `tutti explain` reads into one C++ source: headers for users, pages of docs/. A build step:
#   cmake -DROOT=.. -DOUT=../reference_texts.cpp -P cmake/reference_texts.cmake
# The headers are those that users include, with all that these include, directly or not, and those that a page names.
# Text with a bracket is no list of CMake's, so nothing here is expanded unquoted but lists of file names.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/write_if_changed.cmake)

function(headers_named_in text out)
  string(REGEX MATCHALL "tutti/[a-z0-9_/]+\\.hpp" names "${text}")
  set(found)
  foreach(name IN LISTS names)
    if(EXISTS ${ROOT}/${name})
      list(APPEND found ${name})
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

file(READ ${ROOT}/cmake/install.cmake installed)  # it names the headers for users
headers_named_in("tutti/tutti.hpp ${installed}" todo)
set(headers)
while(todo)
  list(POP_FRONT todo header)
  if(NOT header IN_LIST headers)
    list(APPEND headers ${header})
    file(STRINGS ${ROOT}/${header} includes REGEX "^#include \"tutti/")
    headers_named_in("${includes}" more)
    list(APPEND todo ${more})
  endif()
endwhile()
file(GLOB pages RELATIVE ${ROOT} ${ROOT}/docs/*.md)
foreach(page IN LISTS pages)
  file(READ ${ROOT}/${page} text)
  headers_named_in("${text}" more)
  list(APPEND headers ${more})
endforeach()
list(REMOVE_DUPLICATES headers)
list(SORT headers)

set(source "// From headers and pages, by cmake/reference_texts.cmake.
#include \"tutti/cli/reference/texts.hpp\"

namespace tutti::cli {
namespace {

// A literal knows its size: to count a million characters, Clang takes more steps than it allows.
using namespace std::string_view_literals;

constexpr Text all[] = {
")
foreach(file IN LISTS headers ITEMS docs/errors.md docs/from_jax.md docs/numpy.md)
  file(READ ${ROOT}/${file} text)
  string(APPEND source "{\"${file}\", R\"text(${text})text\"sv},\n")
endforeach()
string(APPEND source "};

}  // namespace

std::span<const Text> all_texts() { return all; }

}  // namespace tutti::cli
")
write_if_changed(${OUT} "${source}")
