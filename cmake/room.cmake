# A room is one folder of the house, built as one static library. Its headers are reached as
# "<room>/x.h" through an include root of its own, which only targets that link the room get to
# see: that is how the compiler enforces which way includes may run.
#
#   sluice_room(governor SOURCES window.cpp ... LINKS sluice::api PRIVATE_LINKS Threads::Threads)
function(sluice_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  set(root ${PROJECT_BINARY_DIR}/roots/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${root}/${name} SYMBOLIC)
  sluice_sources(sources sluice_${name} ${ARG_SOURCES})
  add_library(sluice_${name} STATIC ${sources})
  add_library(sluice::${name} ALIAS sluice_${name})
  set_target_properties(sluice_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(sluice_${name} PUBLIC $<BUILD_INTERFACE:${root}>)
  target_link_libraries(sluice_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  if(name IN_LIST SLUICE_OPTIMIZED)
    target_compile_options(sluice_${name} PRIVATE -O1)
  else()
    sluice_use_precompiled(sluice_${name} standard)
  endif()
endfunction()

# The options of a room, for config, which may see nothing else of it.
function(sluice_room_options name)
  set(root ${PROJECT_BINARY_DIR}/roots/${name}_options)
  file(MAKE_DIRECTORY ${root}/${name})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name}/options.h ${root}/${name}/options.h SYMBOLIC)
  add_library(sluice_${name}_options INTERFACE)
  add_library(sluice::${name}_options ALIAS sluice_${name}_options)
  set_target_properties(sluice_${name}_options PROPERTIES EXPORT_NAME ${name}_options)
  target_include_directories(sluice_${name}_options INTERFACE $<BUILD_INTERFACE:${root}>)
  target_link_libraries(sluice_${name}_options INTERFACE sluice::api)
endfunction()

# The tests of one room: one binary, run by ctest test by test.
function(sluice_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  sluice_sources(sources test_${name} ${ARG_SOURCES})
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE SLUICE_SOURCE="${PROJECT_SOURCE_DIR}"
                             SLUICE_BINARY="${PROJECT_BINARY_DIR}")
  sluice_use_precompiled(test_${name} test)
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300 LABELS "${name}")
endfunction()
