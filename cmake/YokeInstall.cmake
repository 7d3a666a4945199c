# What `make install` puts where: library, headers, the command, manual pages, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/yoke)

install(TARGETS yoke EXPORT yokeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(YOKE_STATIC)
  install(TARGETS yoke_archive EXPORT yokeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/yoke DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(PROGRAMS cmake/yoke-embed DESTINATION ${CMAKE_INSTALL_BINDIR})
if(YOKE_COMMAND)
  install(TARGETS yoke_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)
    set(completion ${PROJECT_BINARY_DIR}/cli/completion)
    install(FILES ${completion}.bash RENAME yoke DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${completion}.zsh RENAME _yoke DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${completion}.fish RENAME yoke.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
  install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
endif()
# The documents as they lie here, so that their links hold; not what only builds and tests the examples here.
install(FILES README.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE PATTERN CMakeLists.txt EXCLUDE PATTERN check.sh EXCLUDE)
install(DIRECTORY apps DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN README.md)
# The loader's list has the library only if a system folder got it, and root can tell.
install(CODE "if(\"$ENV{DESTDIR}\" STREQUAL \"\" AND CMAKE_INSTALL_PREFIX MATCHES \"^/usr(/local)?$\")
  execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(user STREQUAL 0)
    execute_process(COMMAND ldconfig)
  endif()
endif()")

install(EXPORT yokeTargets NAMESPACE yoke:: DESTINATION ${package})
configure_package_config_file(cmake/yokeConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/yokeConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/yokeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/yokeConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/yokeConfigVersion.cmake cmake/YokeKernels.cmake DESTINATION ${package})
list(TRANSFORM yoke_libraries PREPEND -l OUTPUT_VARIABLE private)
list(JOIN private " " private)
set(YOKE_PC_PRIVATE "${private} -lpthread -ldl -lm") # of the static library
# Relative to where it lies, so that the installed tree can be moved.
file(RELATIVE_PATH YOKE_PC_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/yoke.pc.in ${CMAKE_CURRENT_BINARY_DIR}/yoke.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/yoke.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
