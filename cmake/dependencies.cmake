# SPDX-License-Identifier: Apache-2.0
# The libraries that Tutti is linked with, as imported targets. tutti_missing lists the libraries that were not found,
# with their Debian packages. Two callers: our own build, which sets tutti_NEEDS_HEADERS, and the tuttiConfig.cmake of an
# installed copy, which sets tutti_FMT_MAJOR to the version of fmt that it was built with.
set(tutti_missing)

find_package(Threads QUIET)
if(tutti_FMT_MAJOR)
  math(EXPR tutti_next_fmt "${tutti_FMT_MAJOR} + 1")
  find_package(fmt ${tutti_FMT_MAJOR}...<${tutti_next_fmt} QUIET)
else()
  find_package(fmt QUIET)
endif()
if(NOT fmt_FOUND)
  list(APPEND tutti_missing "fmt ${tutti_FMT_MAJOR} (libfmt-dev)")
endif()

# tutti::<library>, found by its file: oneDNN's own CMake file wants OpenCL, hwloc has none, libzip's wants its tools.
function(tutti_find_library library header package)
  find_library(TUTTI_${library}_LIBRARY ${library} NAMES_PER_DIR)
  mark_as_advanced(TUTTI_${library}_LIBRARY)
  if(tutti_NEEDS_HEADERS)
    find_path(TUTTI_${library}_INCLUDE ${header})
    mark_as_advanced(TUTTI_${library}_INCLUDE)
  endif()
  if(NOT TUTTI_${library}_LIBRARY OR (tutti_NEEDS_HEADERS AND NOT TUTTI_${library}_INCLUDE))
    set(tutti_missing ${tutti_missing} "${library} (${package})" PARENT_SCOPE)
  elseif(NOT TARGET tutti::${library})
    add_library(tutti::${library} UNKNOWN IMPORTED)
    set_target_properties(tutti::${library} PROPERTIES IMPORTED_LOCATION ${TUTTI_${library}_LIBRARY})
    if(tutti_NEEDS_HEADERS)
      set_target_properties(tutti::${library} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TUTTI_${library}_INCLUDE})
    endif()
  endif()
endfunction()

# A shared libtutti.so brings these itself.
if(NOT tutti_IS_SHARED)
  tutti_find_library(hwy hwy/highway.h libhwy-dev)
  tutti_find_library(hwy_contrib hwy/contrib/sort/vqsort.h libhwy-dev)
  tutti_find_library(dnnl dnnl.hpp libdnnl-dev)
  tutti_find_library(hwloc hwloc.h libhwloc-dev)
  tutti_find_library(sleef sleef.h libsleef-dev)
  tutti_find_library(zip zip.h libzip-dev)
endif()

# Headers alone, of sources alone: an installed copy needs none of it.
if(tutti_NEEDS_HEADERS)
  find_path(TUTTI_asio_INCLUDE asio.hpp)
  mark_as_advanced(TUTTI_asio_INCLUDE)
  if(NOT TUTTI_asio_INCLUDE)
    list(APPEND tutti_missing "asio (libasio-dev)")
  elseif(NOT TARGET tutti::asio)
    add_library(tutti::asio INTERFACE IMPORTED)
    set_target_properties(tutti::asio PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TUTTI_asio_INCLUDE})
  endif()
endif()
