# The target `docs`: HTML of the public headers' comments in docs/html of the build folder. An undocumented function, struct or field
# fails it.
find_program(YOKE_DOXYGEN doxygen)
mark_as_advanced(YOKE_DOXYGEN)
if(YOKE_DOXYGEN)
  configure_file(tools/reference/Doxyfile.in ${CMAKE_CURRENT_BINARY_DIR}/docs/Doxyfile @ONLY)
  add_custom_target(docs COMMAND ${YOKE_DOXYGEN} ${CMAKE_CURRENT_BINARY_DIR}/docs/Doxyfile
    COMMENT "The reference: ${CMAKE_CURRENT_BINARY_DIR}/docs/html/index.html" VERBATIM)
else()
  add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E echo "doxygen is missing: ./bootstrap.sh --docs installs it, then run cmake again"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
