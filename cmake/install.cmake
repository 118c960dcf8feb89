# find_package(sluice) gives sluice::sluice: the library with sensors, cost model and config. It and
# what install_c.cmake adds are the component libsluice-dev.
include(CMakePackageConfigHelpers)

set(library_targets sluice sluice_api sluice_base sluice_base_sqlite sluice_governor
    sluice_governor_autoscaler sluice_governor_books sluice_governor_inputs sluice_governor_law
    sluice_governor_memory sluice_governor_threads sluice_governor_validation
    sluice_sensors sluice_sensors_cgroup sluice_sensors_files sluice_costmodel sluice_costmodel_store sluice_embed
    sluice_config sluice_metrics_options sluice_service_options sluice_status sluice_vocabulary)
install(TARGETS ${library_targets} EXPORT sluice ARCHIVE COMPONENT libsluice-dev)
install(DIRECTORY include/sluice DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libsluice-dev
        FILES_MATCHING PATTERN *.h)
install(EXPORT sluice NAMESPACE sluice:: FILE sluice-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sluice COMPONENT libsluice-dev)
configure_package_config_file(cmake/sluice-config.cmake.in sluice-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
write_basic_package_version_file(sluice-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sluice-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sluice-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sluice COMPONENT libsluice-dev)
set(archives)
foreach(target IN LISTS library_targets)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND archives ${target})
  endif()
endforeach()
install(CODE "set(source \"${CMAKE_CURRENT_SOURCE_DIR}\")
              set(build \"${CMAKE_CURRENT_BINARY_DIR}\")
              set(version \"${PROJECT_VERSION}\")
              set(libdir \"${CMAKE_INSTALL_LIBDIR}\")
              set(includedir \"${CMAKE_INSTALL_INCLUDEDIR}\")
              set(archives \"${archives}\")"
        COMPONENT libsluice-dev)
install(SCRIPT cmake/install_pkg_config.cmake COMPONENT libsluice-dev)
if(SLUICE_C)
  include(cmake/install_c.cmake)
endif()
# Where Debian's Python finds it; elsewhere pip installs the wheel.
install(DIRECTORY bindings/python/sluice DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN __pycache__ EXCLUDE)
if(SLUICE_COMMAND)
  install(TARGETS sluice_command sluice_attach sluice_launch_command
                  sluice_autoscale_command
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(CODE "set(source \"${CMAKE_CURRENT_SOURCE_DIR}\")
                set(build \"${CMAKE_CURRENT_BINARY_DIR}\")
                set(bindir \"${CMAKE_INSTALL_BINDIR}\")
                set(docdir \"${CMAKE_INSTALL_DOCDIR}\")")
  install(SCRIPT cmake/install_units.cmake)
  install(FILES deploy/systemd/sysusers.conf DESTINATION lib/sysusers.d RENAME sluice.conf)
  include(cmake/install_docs.cmake)
  install(FILES deploy/systemd/autoscale.env deploy/systemd/work-sources.conf
          DESTINATION ${CMAKE_INSTALL_DOCDIR}/systemd)
  install(FILES deploy/grafana/sluice.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice/grafana)
  install(FILES deploy/prometheus/alerts.yml deploy/prometheus/rules.yml
          DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice/prometheus)
  install(DIRECTORY integrations DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice USE_SOURCE_PERMISSIONS
          PATTERN __pycache__ EXCLUDE)
endif()
