# yoke_needs(OPTION MODULE LIBRARY PACKAGE): unless OPTION is OFF, the library stands on pkg-config's MODULE, Debian's PACKAGE. It
# joins the lists yoke_stands_on (targets) and yoke_libraries (names, for those who link the static library).
set(yoke_stands_on "")
set(yoke_libraries "")
macro(yoke_needs option module library package)
  if(${option})
    pkg_check_modules(${option} IMPORTED_TARGET "${module}")
    if(NOT ${option}_FOUND)
      message(FATAL_ERROR "${module} is missing. Install it (Debian: ${package}; ./bootstrap.sh --install), or build without: -D${option}=OFF")
    endif()
    list(APPEND yoke_stands_on PkgConfig::${option})
    list(APPEND yoke_libraries ${library})
  endif()
endmacro()
