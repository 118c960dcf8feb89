# Each shared library costs a start of `sluice` about 0.2 ms: the programs link the archives of those
# that have one. docs/decisions/0048-start.md has the measurement.
option(SLUICE_STATIC_LIBRARIES "Link yaml-cpp, SQLite, nettle and zstd into the programs" ON)

# Lets an imported target stand for lib<name>.a if there is one.
function(sluice_prefer_archive target name)
  if(NOT SLUICE_STATIC_LIBRARIES OR NOT SLUICE_COMMAND)
    return()
  endif()
  find_library(SLUICE_ARCHIVE_${name} lib${name}.a)
  mark_as_advanced(SLUICE_ARCHIVE_${name})
  if(NOT SLUICE_ARCHIVE_${name})
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES
                 ${SLUICE_ARCHIVE_${name}} Threads::Threads)
    return()
  endif()
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION ${SLUICE_ARCHIVE_${name}})
  foreach(configuration IN LISTS configurations)
    set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION_${configuration}
                 ${SLUICE_ARCHIVE_${name}})
  endforeach()
endfunction()
