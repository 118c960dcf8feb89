# A room is one folder of the house, built as one static library. Its headers are reached as
# "<room>/x.h" through an include root of its own, which only targets that link the room get to
# see: that is how the compiler enforces which way includes may run. That of a room in a room,
# "service/gearman", is sluice::service_gearman. $<LINK_ONLY:sluice::governor> is linked for what the
# governor defines of include/sluice, and its headers stay out of sight.
#
#   sluice_room(governor SOURCES window.cpp ... LINKS sluice::api PRIVATE_LINKS Threads::Threads)
function(sluice_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  string(REPLACE "/" "_" room ${name})
  set(root ${PROJECT_BINARY_DIR}/roots/${room})
  cmake_path(GET name PARENT_PATH parent)
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${root}/${name} SYMBOLIC)
  sluice_sources(sources sluice_${room} ${ARG_SOURCES})
  add_library(sluice_${room} STATIC ${sources})
  add_library(sluice::${room} ALIAS sluice_${room})
  set_property(GLOBAL APPEND PROPERTY SLUICE_ROOMS sluice_${room})
  set_target_properties(sluice_${room} PROPERTIES EXPORT_NAME ${room})
  target_include_directories(sluice_${room} PUBLIC $<BUILD_INTERFACE:${root}>)
  target_link_libraries(sluice_${room} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  if(name IN_LIST SLUICE_OPTIMIZED)
    target_compile_options(sluice_${room} PRIVATE -O1)
  else()
    sluice_use_precompiled(sluice_${room} standard)
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
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(test_${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE SLUICE_SOURCE="${PROJECT_SOURCE_DIR}"
                             SLUICE_BINARY="${PROJECT_BINARY_DIR}")
  sluice_use_precompiled(test_${name} test)
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300 LABELS "${name}")
endfunction()
