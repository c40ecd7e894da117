# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` and cpack install, and where. The files find each other by relative paths: a copy may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS tutti EXPORT tuttiTargets)
if(TUTTI_KERNELS)
  install(TARGETS tutti_kernels EXPORT tuttiKernelsTargets)
  if(BUILD_SHARED_LIBS)
    set_target_properties(tutti_kernels PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
endif()
if(TARGET tutti_mpi)
  install(TARGETS tutti_mpi EXPORT tuttiMpiTargets)
  if(BUILD_SHARED_LIBS)
    set_target_properties(tutti_mpi PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
endif()
if(TARGET tutti_cli)
  install(TARGETS tutti_cli)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(tutti_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
  endif()
endif()

# Man pages and completions are made of the tool's --help when it is installed, so they never lack an option.
if(TARGET tutti_cli AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
  find_program(HELP2MAN help2man)
  mark_as_advanced(HELP2MAN)
  set(made ${PROJECT_BINARY_DIR}/made_of_help)
  install(CODE "execute_process(
    COMMAND \"${PROJECT_SOURCE_DIR}/tools/completions\" \"$<TARGET_FILE:tutti_cli>\" \"${made}/completions\"
    COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${made}/completions/tutti DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${made}/completions/_tutti DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  if(HELP2MAN)
    install(CODE "execute_process(
      COMMAND \"${PROJECT_SOURCE_DIR}/tools/man_pages\" \"$<TARGET_FILE:tutti_cli>\" ${PROJECT_VERSION} \"${made}/man1\"
      COMMAND_ERROR_IS_FATAL ANY)")
    install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  else()
    message(STATUS "no man pages are installed: there is no help2man (help2man)")
  endif()
endif()
install(FILES tools/gdb/tutti_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti/gdb)
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(installed_targets DEPENDS tutti)  # what `make install` and `make package` build
  foreach(target tutti_kernels tutti_mpi tutti_cli)
    if(TARGET ${target})
      add_dependencies(installed_targets ${target})
    endif()
  endforeach()
  install(FILES README.md CHANGELOG.md SECURITY.md CITATION.cff LICENSE cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
endif()

if(SKBUILD)  # a wheel (pyproject.toml) brings the OpenBLAS that libtutti.so loads by name
  find_file(TUTTI_OPENBLAS libopenblas.so.0 PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib
    PATH_SUFFIXES openblas-pthread REQUIRED)
  file(REAL_PATH ${TUTTI_OPENBLAS} openblas)
  install(PROGRAMS ${openblas} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libopenblas.so.0)
endif()

# --- find_package(tutti) ----------------------------------------------------------------------------------------------

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
string(REGEX MATCH "^[0-9]+" tutti_FMT_MAJOR "${fmt_VERSION}")  # its types stand in our headers and symbols
install(EXPORT tuttiTargets NAMESPACE tutti:: DESTINATION ${package_folder})
if(TUTTI_KERNELS)
  install(EXPORT tuttiKernelsTargets NAMESPACE tutti:: DESTINATION ${package_folder})
endif()
if(TARGET tutti_mpi)
  install(EXPORT tuttiMpiTargets NAMESPACE tutti:: DESTINATION ${package_folder})
endif()
configure_package_config_file(cmake/tuttiConfig.cmake.in ${PROJECT_BINARY_DIR}/tuttiConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may break users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tuttiConfig.cmake ${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake
              cmake/dependencies.cmake cmake/laws.cmake
  DESTINATION ${package_folder})
# Headers: the public ones and what they include. The laws for users' ops, as sources, go beside the package files, which
# look for them there.
set(public_headers tutti/tutti.hpp tutti/op.hpp tutti/version.hpp tutti/dlpack.hpp tutti/lower/lower.hpp
                   tutti/tensor/files/npz.hpp tutti/tensor/files/safetensors.hpp)
if(TUTTI_KERNELS)
  list(APPEND public_headers tutti/kernels.hpp)
endif()
if(TARGET tutti_mpi)
  list(APPEND public_headers tutti/mpi/open_mpi.hpp)
endif()
install(CODE "
  set(tutti_SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(tutti_PUBLIC ${public_headers})
  set(tutti_LAWS ${tutti_LAWS})
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE prefix)
  set(tutti_INCLUDE_DESTINATION \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(tutti_LAWS_DESTINATION \"${package_folder}\")
  set(tutti_DOC_DESTINATION \"$<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:${CMAKE_INSTALL_DOCDIR}>\")
  foreach(destination tutti_INCLUDE_DESTINATION tutti_LAWS_DESTINATION tutti_DOC_DESTINATION)
    if(\${destination})
      cmake_path(ABSOLUTE_PATH \${destination} BASE_DIRECTORY \${prefix})
    endif()
  endforeach()
  include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")
")

# --- pkg-config -------------------------------------------------------------------------------------------------------

set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Folders may be absolute, as distributions set them. A copy with such a library folder cannot be moved.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH prefix_from_pc /${pc_folder} /)
  set(pc_prefix "\${pcfiledir}/${prefix_from_pc}")
endif()
foreach(folder LIBDIR INCLUDEDIR)
  set(pc_${folder} "\${prefix}")
  cmake_path(APPEND pc_${folder} "${CMAKE_INSTALL_${folder}}")  # an absolute one replaces the prefix
endforeach()
math(EXPR next_fmt "${tutti_FMT_MAJOR} + 1")
set(libs_of_static -lhwy_contrib -lhwy -ldnnl -lhwloc -lsleef -lzip -lgomp -ldl -pthread)
list(JOIN libs_of_static " " libs_of_static)
if(BUILD_SHARED_LIBS)
  set(libs_of_shared ${libs_of_static})
  set(libs_of_static)
endif()
configure_file(cmake/tutti.pc.in ${PROJECT_BINARY_DIR}/tutti.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tutti.pc DESTINATION ${pc_folder})
if(TUTTI_KERNELS)
  configure_file(cmake/tutti-kernels.pc.in ${PROJECT_BINARY_DIR}/tutti-kernels.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tutti-kernels.pc DESTINATION ${pc_folder})
endif()
if(TARGET tutti_mpi)
  configure_file(cmake/tutti-mpi.pc.in ${PROJECT_BINARY_DIR}/tutti-mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tutti-mpi.pc DESTINATION ${pc_folder})
endif()

# --- cpack: a package for apt -----------------------------------------------------------------------------------------

if(NOT PROJECT_IS_TOP_LEVEL)  # packages of the including project are its own
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Tutti project")
# Debian asks for an address. The project has none: users write to the site that hosts its repository.
set(TUTTI_PACKAGE_CONTACT "The Tutti authors <nobody@tutti.invalid>" CACHE STRING "Maintainer of the .deb")
mark_as_advanced(TUTTI_PACKAGE_CONTACT)
set(CPACK_PACKAGE_CONTACT ${TUTTI_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "SPMD array programs in C++, with derivatives through collectives")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A program says what one device does, with collectives over named mesh
axes. Tutti checks its types, differentiates and batches it through every
collective, runs it on virtual devices of one process or of many, and
writes it as StableHLO.
.
This package has the headers, the static libraries, the tool tutti
and the documentation.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # what the tool is linked with
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libfmt-dev, libstdc++-12-dev | libstdc++-dev")
if(NOT BUILD_SHARED_LIBS)  # what a user's program is linked with
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS
    ", libhwy-dev, libdnnl-dev, libhwloc-dev, libsleef-dev, libzip-dev, libgomp1")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenmpi-dev, openmpi-bin")  # tutti::mpi
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-pthread | libopenblas0")  # products of f64 and complex numbers load it
set(CPACK_STRIP_FILES ON)  # the tool; archives stay as they are
# The same bytes from every checkout, together with SOURCE_DATE_EPOCH (`make package` sets it): whatever the umask is.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_changelog.cmake)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};tutti;ALL;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
