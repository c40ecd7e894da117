# SPDX-License-Identifier: Apache-2.0
# Makes one page of the files of this folder: cmake -DOUTPUT=FILE -P tutti/page/join.cmake
# Each {{file name}} in page.html becomes the text of that file. {{title}} and {{data}} stay as they are.
file(READ ${CMAKE_CURRENT_LIST_DIR}/page.html page)
foreach(name page.css rows.js devices.js plan.js start.js)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${name} text)
  string(REPLACE "{{${name}}}" "${text}" page "${page}")
endforeach()
file(WRITE ${OUTPUT} "${page}")
