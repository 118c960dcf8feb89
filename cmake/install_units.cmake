# systemd units name the places of the prefix, which is known for sure when it is installed to.
# Given: source, build, bindir, docdir.
set(sysconfdir ${CMAKE_INSTALL_PREFIX}/etc)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(sysconfdir /etc)
endif()
cmake_path(ABSOLUTE_PATH bindir BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}
           OUTPUT_VARIABLE CMAKE_INSTALL_FULL_BINDIR)
cmake_path(ABSOLUTE_PATH docdir BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}
           OUTPUT_VARIABLE CMAKE_INSTALL_FULL_DOCDIR)
set(CMAKE_INSTALL_FULL_SYSCONFDIR ${sysconfdir})
foreach(unit sluice sluice-autoscale)
  configure_file(${source}/deploy/systemd/${unit}.service.in ${build}/deploy/${unit}.service @ONLY)
  # Not in lib64: systemd looks nowhere else.
  file(INSTALL ${build}/deploy/${unit}.service
       DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
endforeach()

# The operator's once it is there.
if(NOT EXISTS $ENV{DESTDIR}${sysconfdir}/sluice/sluice.yaml)
  file(INSTALL ${source}/deploy/systemd/sluice.yaml DESTINATION ${sysconfdir}/sluice)
endif()
