# What makes a build of every source quick; both are off in the plain build of ./test lint, which
# shows a missing include and a name that is defined twice.
option(SLUICE_PRECOMPILED "Precompile the standard headers and the public ones" OFF)
option(SLUICE_UNITY "Compile sources in batches" OFF)
# Modules that run often: in a release for every job, sample or request, in a build for tests a million times in
# property tests. The others, which run once in a command, compile in half the time at the build type's level.
set(SLUICE_OPTIMIZED "" CACHE STRING "Modules to compile with SLUICE_OPTIMIZATION")
set(SLUICE_OPTIMIZATION "-O1" CACHE STRING "The level of SLUICE_OPTIMIZED")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC collects garbage from a few MB on, which takes an eighth of its time and saves a tenth of its memory.
  add_compile_options(--param=ggc-min-heapsize=2000000)
endif()

# Counts for libFuzzer which branches of a target an input reaches. Tests need none of it.
function(sluice_count_coverage target)
  if(SLUICE_FUZZ AND TARGET ${target})
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# Makes the target precompiled_<name> of cmake/precompiled/standard.h, after other HEADERS. A source is compiled
# with the options that its precompiled header had.
function(sluice_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS;LINKS" ${ARGN})
  if(NOT SLUICE_PRECOMPILED)
    return()
  endif()
  set(unit ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "")
  add_library(precompiled_${name} OBJECT ${unit})
  target_compile_options(precompiled_${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(precompiled_${name} PRIVATE sluice::api ${ARG_LINKS})
  target_precompile_headers(precompiled_${name} PRIVATE ${ARG_HEADERS}
                            ${PROJECT_SOURCE_DIR}/cmake/precompiled/standard.h)
endfunction()

# That of modules, which counts coverage: <name>. Where the build type does not optimize, what the compiler
# defines differs for SLUICE_OPTIMIZED, which have <name>_optimized.
function(sluice_precompiled_for_modules name)
  set(level)
  if(SLUICE_OPTIMIZED AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    sluice_precompiled(${name}_optimized OPTIONS ${SLUICE_OPTIMIZATION})
    sluice_count_coverage(precompiled_${name}_optimized)
  elseif(SLUICE_OPTIMIZED)
    set(level ${SLUICE_OPTIMIZATION})
  endif()
  sluice_precompiled(${name} OPTIONS ${level})
  sluice_count_coverage(precompiled_${name})
endfunction()

function(sluice_use_precompiled target name)
  if(SLUICE_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM precompiled_${name})
  endif()
endfunction()

# Sets `result` to what a target compiles for these sources: themselves, or sources of a few
# #include lines each. Generated sources, which have absolute paths, stay alone.
function(sluice_sources result target)
  set(alone ${ARGN})
  list(FILTER alone INCLUDE REGEX "^/")
  set(together ${ARGN})
  list(FILTER together EXCLUDE REGEX "^/")
  if(NOT SLUICE_UNITY)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(watched ${PROJECT_SOURCE_DIR}/cmake/unity.awk)
  foreach(source IN LISTS together)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    list(APPEND watched ${source})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${watched})
  # GCC takes half of its time for a unit of tests for the templates of the headers that they share. An optimized
  # unit needs more memory: at 24 sources up to 1.2 GB.
  set(most 24)
  # An admission passes through most sources of the governor: in two units it takes a fifth longer.
  if(target MATCHES "^test_|^sluice_governor$")
    set(most 32)
  endif()
  execute_process(COMMAND awk -v size=${most} -f ${PROJECT_SOURCE_DIR}/cmake/unity.awk ${together}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  set(batches)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" _ "${line}")
    list(APPEND batches ${CMAKE_MATCH_1})
    string(APPEND content_${CMAKE_MATCH_1}
           "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_2}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch IN LISTS batches)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}_unity/${batch}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${content_${batch}}" @ONLY)
    # The plain build has these two: here a source meets the using-directives of its neighbours,
    # and a class that holds one of an anonymous namespace is taken for one of a header.
    set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS
                                "-Wno-shadow;$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
    list(APPEND alone ${unit})
  endforeach()
  set(${result} ${alone} PARENT_SCOPE)
endfunction()
