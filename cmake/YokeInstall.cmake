# What `make install` puts where: library, headers, the command, manual pages, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/yoke)

install(TARGETS yoke EXPORT yokeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/yoke DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(PROGRAMS cmake/yoke-embed DESTINATION ${CMAKE_INSTALL_BINDIR})
if(YOKE_COMMAND)
  install(TARGETS yoke_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
endif()
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT yokeTargets NAMESPACE yoke:: DESTINATION ${package})
configure_package_config_file(cmake/yokeConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/yokeConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/yokeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/yokeConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/yokeConfigVersion.cmake cmake/YokeKernels.cmake DESTINATION ${package})
# Relative to where it lies, so that the installed tree can be moved.
file(RELATIVE_PATH YOKE_PC_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/yoke.pc.in ${CMAKE_CURRENT_BINARY_DIR}/yoke.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/yoke.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
