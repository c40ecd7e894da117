# SPDX-License-Identifier: Apache-2.0
# The libraries that Tutti is linked with, as imported targets. Read by our own build and by the tuttiConfig.cmake of an
# installed copy. What was not found is listed in tutti_missing, with the Debian package that has it.
set(tutti_missing)

find_package(Threads QUIET)
find_package(fmt QUIET)
if(NOT fmt_FOUND)
  list(APPEND tutti_missing "fmt (libfmt-dev)")
endif()

# tutti::<library>, found by its file: oneDNN's own CMake file wants OpenCL, hwloc has none, libzip's wants its tools.
function(tutti_find_library library package)
  find_library(TUTTI_${library}_LIBRARY ${library} NAMES_PER_DIR)
  mark_as_advanced(TUTTI_${library}_LIBRARY)
  if(NOT TUTTI_${library}_LIBRARY)
    set(tutti_missing ${tutti_missing} "${library} (${package})" PARENT_SCOPE)
  elseif(NOT TARGET tutti::${library})
    add_library(tutti::${library} UNKNOWN IMPORTED)
    set_target_properties(tutti::${library} PROPERTIES IMPORTED_LOCATION ${TUTTI_${library}_LIBRARY})
  endif()
endfunction()

# A shared libtutti.so brings these itself.
if(NOT tutti_IS_SHARED)
  tutti_find_library(hwy libhwy-dev)
  tutti_find_library(dnnl libdnnl-dev)
  tutti_find_library(openblas libopenblas-pthread-dev)
  tutti_find_library(hwloc libhwloc-dev)
  tutti_find_library(zip libzip-dev)
endif()
