# SPDX-License-Identifier: Apache-2.0
# Installs headers, at the time of the installation: tutti_PUBLIC and what they include go to the folder of headers. What the
# sources tutti_LAWS include beyond that goes beside those, to tutti_LAWS_DESTINATION; likewise that of the examples, to
# tutti_DOC_DESTINATION. All else is internal, and stays here.
# Needs tutti_SOURCE, the folder of the repository, and destinations that begin with the prefix.
cmake_policy(VERSION 3.25)

# Sets `out` to these files and all files of the repository that they include, directly or not.
function(tutti_reached out)
  set(todo ${ARGN})
  set(seen)
  while(todo)
    list(POP_FRONT todo file)
    if(file IN_LIST seen OR NOT EXISTS ${tutti_SOURCE}/${file})
      continue()
    endif()
    list(APPEND seen ${file})
    file(STRINGS ${tutti_SOURCE}/${file} lines REGEX "^ *# *include *\"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" used "${line}")
      list(APPEND todo ${used})
    endforeach()
  endwhile()
  set(${out} ${seen} PARENT_SCOPE)
endfunction()

function(tutti_install_files destination)
  foreach(file IN LISTS ARGN)
    cmake_path(GET file PARENT_PATH folder)
    file(INSTALL DESTINATION ${destination}/${folder} TYPE FILE FILES ${tutti_SOURCE}/${file})
  endforeach()
endfunction()

tutti_reached(public ${tutti_PUBLIC})
tutti_install_files(${tutti_INCLUDE_DESTINATION} ${public})
tutti_reached(for_laws ${tutti_LAWS})
list(REMOVE_ITEM for_laws ${public})
tutti_install_files(${tutti_LAWS_DESTINATION} ${for_laws})
if(tutti_DOC_DESTINATION)
  set(examples *.cpp *.hpp CMakeLists.txt README.md data/*)  # nothing that a user built there
  list(TRANSFORM examples PREPEND ${tutti_SOURCE}/examples/)
  file(GLOB_RECURSE examples RELATIVE ${tutti_SOURCE} ${examples})
  tutti_reached(for_examples ${examples} tutti/cli/words/program.cpp tutti/cli/words/machine.cpp tutti/cli/words/open_machine.cpp)
  list(REMOVE_ITEM for_examples ${public})
  tutti_install_files(${tutti_DOC_DESTINATION} ${for_examples})
endif()
