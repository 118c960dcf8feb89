# The library for C. Its components are libsluice, which programs need to run, and libsluice-dev.
install(TARGETS sluice_c EXPORT sluice_c
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                COMPONENT libsluice NAMELINK_COMPONENT libsluice-dev)
install(FILES include/sluice.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libsluice-dev)
install(EXPORT sluice_c NAMESPACE sluice:: FILE sluice-c-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sluice COMPONENT libsluice-dev)
# It names the places of the prefix, which is known for sure when it is installed to.
install(CODE "set(version \"${PROJECT_VERSION}\")
              set(libdir \"${CMAKE_INSTALL_LIBDIR}\")
              set(includedir \"${CMAKE_INSTALL_INCLUDEDIR}\")
              set(made \"${CMAKE_CURRENT_BINARY_DIR}/sluice-c.pc\")
              configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/sluice-c.pc.in\" \"\${made}\" @ONLY)
              file(INSTALL \"\${made}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${libdir}/pkgconfig\")"
        COMPONENT libsluice-dev)
