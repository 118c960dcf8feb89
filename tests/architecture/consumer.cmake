# Builds and runs examples/embed as a stranger would: -D WAY=find_package|add_subdirectory.
set(work ${BUILD}/consumer/${WAY})
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()

if(WAY STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
  set(where -D CMAKE_PREFIX_PATH=${work}/prefix)
else()
  # Quickly: the plain build of ./test lint compiles each source alone.
  set(where -D SLUICE_SOURCE=${SOURCE} -D SLUICE_PRECOMPILED=ON -D SLUICE_UNITY=ON)
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/embed -B ${work}/build -G Ninja ${where})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/embed)
