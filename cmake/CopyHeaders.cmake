# SPDX-License-Identifier: MIT
# cmake -DSOURCE=<repository> -DTARGET=<folder> -P CopyHeaders.cmake: copies the headers of runtime and base that
# changed, and removes those that are gone.
file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/runtime/*.h ${SOURCE}/base/*.h)
list(FILTER headers EXCLUDE REGEX "^runtime/python/")
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  file(COPY ${SOURCE}/${header} DESTINATION ${TARGET}/${folder})
endforeach()
file(GLOB_RECURSE copied RELATIVE ${TARGET} ${TARGET}/*.h)
list(REMOVE_ITEM copied ${headers})
foreach(header IN LISTS copied)
  file(REMOVE ${TARGET}/${header})
endforeach()
# What hosts of libraries include.
file(GLOB public ${SOURCE}/runtime/embed/polybricks.*)
file(COPY ${public} DESTINATION ${TARGET})
