# A module is one folder of the source tree, built as one static library. Its headers are reached as
# "<module>/x.h" through an include root of its own, which only targets that link the module get to
# see: that is how the compiler enforces which way includes may run. That of a module in a module,
# "service/gearman", is sluice::service_gearman. $<LINK_ONLY:sluice::governor_threads> is linked for
# what it defines of include/sluice, and its headers stay out of sight.
#
#   sluice_module(governor SOURCES window.cpp ... LINKS sluice::api PRIVATE_LINKS Threads::Threads)
function(sluice_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  string(REPLACE "/" "_" module ${name})
  set(root ${PROJECT_BINARY_DIR}/roots/${module})
  cmake_path(GET name PARENT_PATH parent)
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${root}/${name} SYMBOLIC)
  sluice_sources(sources sluice_${module} ${ARG_SOURCES})
  add_library(sluice_${module} STATIC ${sources})
  add_library(sluice::${module} ALIAS sluice_${module})
  set_property(GLOBAL APPEND PROPERTY SLUICE_MODULES sluice_${module})
  set_target_properties(sluice_${module} PROPERTIES EXPORT_NAME ${module})
  target_include_directories(sluice_${module} PUBLIC $<BUILD_INTERFACE:${root}>)
  target_link_libraries(sluice_${module} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  sluice_count_coverage(sluice_${module})
  set(precompiled ${SLUICE_PRECOMPILED_HEADER})
  if(name IN_LIST SLUICE_OPTIMIZED)
    target_compile_options(sluice_${module} PRIVATE ${SLUICE_OPTIMIZATION})
    if(TARGET precompiled_${precompiled}_optimized)
      string(APPEND precompiled _optimized)
    endif()
  endif()
  sluice_use_precompiled(sluice_${module} ${precompiled})
endfunction()

# The options of a module, for config, which may see nothing else of it.
function(sluice_module_options name)
  set(root ${PROJECT_BINARY_DIR}/roots/${name}_options)
  file(MAKE_DIRECTORY ${root}/${name})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name}/options.h ${root}/${name}/options.h SYMBOLIC)
  add_library(sluice_${name}_options INTERFACE)
  add_library(sluice::${name}_options ALIAS sluice_${name}_options)
  set_target_properties(sluice_${name}_options PROPERTIES EXPORT_NAME ${name}_options)
  target_include_directories(sluice_${name}_options INTERFACE $<BUILD_INTERFACE:${root}>)
  target_link_libraries(sluice_${name}_options INTERFACE sluice::api)
endfunction()

# The tests of one module: one binary, run by ctest test by test. With ONE_PROCESS, which is for tests that
# leave nothing behind in their process, a build with sanitizers runs them in four: there a process starts slowly.
function(sluice_test name)
  cmake_parse_arguments(ARG "ONE_PROCESS" "" "SOURCES;LINKS" ${ARGN})
  sluice_sources(sources test_${name} ${ARG_SOURCES})
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(test_${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE SLUICE_SOURCE="${PROJECT_SOURCE_DIR}"
                             SLUICE_BINARY="${PROJECT_BINARY_DIR}")
  if(SLUICE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # In a large unit GCC 12 takes some bodies of tests for functions that nobody calls.
    target_compile_options(test_${name} PRIVATE -Wno-unused-function)
  endif()
  sluice_use_precompiled(test_${name} test)
  if(ARG_ONE_PROCESS AND CMAKE_CXX_FLAGS_DEBUG MATCHES "-fsanitize")
    foreach(shard RANGE 3)
      add_test(NAME test_${name}.${shard} COMMAND test_${name})
      set_tests_properties(test_${name}.${shard} PROPERTIES TIMEOUT 600 COST 100 LABELS "${name}"
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}")
    endforeach()
  else()
    gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 300 LABELS "${name}")
  endif()
endfunction()
