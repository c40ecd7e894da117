# SPDX-License-Identifier: Apache-2.0
# Writes the page that save_page fills in as a C++ source. A build step:
#   cmake -DFOLDER=../tutti/page/browser -DOUT=../page_text.cpp -P cmake/page_text.cmake
# Without OUT, with -DPAGE=FILE, it writes the page itself. Each {{file name}} in page.html becomes the text of that
# file; {{title}} and {{data}} stay as they are. A string literal has a largest length, so the page stands in several,
# which the compiler joins.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/write_if_changed.cmake)

file(READ ${FOLDER}/page.html page)
foreach(name page.css rows.js numbers.js devices.js plan.js start.js)
  file(READ ${FOLDER}/${name} text)
  string(REPLACE "{{${name}}}" "${text}" page "${page}")
endforeach()
if(PAGE)
  file(WRITE ${PAGE} "${page}")
  return()
endif()

set(source "// From tutti/page/browser, by cmake/page_text.cmake.
#include \"tutti/page/page_text.hpp\"

namespace tutti {

std::string_view page_text() {
  return ")
string(LENGTH "${page}" length)
set(at 0)
while(at LESS length)
  string(SUBSTRING "${page}" ${at} 8000 piece)
  string(APPEND source "R\"page(${piece})page\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
string(APPEND source ";
}

}  // namespace tutti
")
write_if_changed(${OUT} "${source}")
