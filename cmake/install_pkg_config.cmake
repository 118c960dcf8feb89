# sluice.pc names the places of the prefix, which is known for sure when it is installed to.
# Given: source, build, version, libdir, includedir, archives.
list(TRANSFORM archives PREPEND "-l")
list(JOIN archives " " libraries)
configure_file(${source}/cmake/sluice.pc.in ${build}/sluice.pc @ONLY)
file(INSTALL ${build}/sluice.pc DESTINATION ${CMAKE_INSTALL_PREFIX}/${libdir}/pkgconfig)
