# SPDX-License-Identifier: Apache-2.0
# write_if_changed(FILE TEXT) leaves a file of this text as it is, so that nothing that depends on it is built again.
function(write_if_changed file text)
  set(before)
  if(EXISTS ${file})
    file(READ ${file} before)
  endif()
  if(NOT text STREQUAL before)
    file(WRITE ${file} "${text}")
  endif()
endfunction()
