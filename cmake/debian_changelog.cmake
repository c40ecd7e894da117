# SPDX-License-Identifier: Apache-2.0
# CPack runs it before it packs the files of a .deb: adds the changelog that Debian asks for, with the date of
# SOURCE_DATE_EPOCH or of today.
set(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/tutti)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${folder}/changelog
"tutti (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md, in the same folder, has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9n ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD ${folder}/changelog.gz PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)  # whatever the umask is
