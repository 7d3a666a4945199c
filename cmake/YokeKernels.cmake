# yoke_add_kernels(<target> [FAST_MATH | EXACT] [CHECK] [NO_WARNINGS] file.c ...): compile kernel files into a target, vectorised, with
# their device texts inside.
#
# Each file is flattened for OpenCL and CUDA by yoke-embed (the C preprocessor does the work, with the
# target's include directories and definitions) and the texts come in through YOKE_SOURCE_FILE, so a change
# to anything the kernel file includes rebuilds both. FAST_MATH adds -ffast-math to the CPU code of these
# files: sums are reordered, reciprocals approximated. EXACT rounds every sum and product by itself, on
# devices too: no compiler makes one instruction of the two. CHECK has the kernels compiled for the OpenCL
# and CUDA devices of this machine at build time; where there are none it says so and checks nothing.
# NO_WARNINGS leaves out what yoke-embed warns of, for files that do it on purpose.
find_program(YOKE_EMBED yoke-embed NO_DEFAULT_PATH DOC "makes device texts of kernel files"
  PATHS ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/../../../bin
        ${CMAKE_CURRENT_LIST_DIR}/../../../../bin)
if(NOT YOKE_EMBED)
  message(FATAL_ERROR "yoke-embed is missing beside ${CMAKE_CURRENT_LIST_DIR}: reinstall yoke")
endif()
mark_as_advanced(YOKE_EMBED)
execute_process(COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} ${YOKE_EMBED} --flags
  OUTPUT_VARIABLE yoke_kernel_flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(yoke_kernel_flags UNIX_COMMAND "${yoke_kernel_flags}")
set_property(GLOBAL PROPERTY YOKE_KERNEL_FLAGS "${yoke_kernel_flags}")

function(yoke_add_kernels target)
  cmake_parse_arguments(arg "FAST_MATH;EXACT;CHECK;NO_WARNINGS" "" "" ${ARGN})
  get_property(flags GLOBAL PROPERTY YOKE_KERNEL_FLAGS)
  get_property(own_flags GLOBAL PROPERTY YOKE_OWN_KERNEL_FLAGS) # while yoke itself is built
  list(APPEND flags ${own_flags})
  if(arg_FAST_MATH AND arg_EXACT)
    message(FATAL_ERROR "kernels of ${target} can be FAST_MATH or EXACT, not both")
  endif()
  if(arg_FAST_MATH)
    list(APPEND flags -ffast-math)
  endif()
  set(exact "")
  if(arg_EXACT)
    list(APPEND flags -ffp-contract=off)
    set(exact -DYOKE_EXACT=1)
  endif()
  set(quiet "")
  if(arg_NO_WARNINGS)
    set(quiet -w)
  endif()
  set(includes "$<FILTER:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,EXCLUDE,^$>")
  set(definitions "$<FILTER:$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>,EXCLUDE,^$>")
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(source ${file} ABSOLUTE)
    get_filename_component(name ${file} NAME_WE)
    get_property(taken SOURCE ${source} PROPERTY YOKE_KERNELS_OF)
    if(taken)
      message(FATAL_ERROR "${file} is a kernel file of ${taken} already; share it through an object library")
    endif()
    set_property(SOURCE ${source} PROPERTY YOKE_KERNELS_OF ${target})
    set(texts ${CMAKE_CURRENT_BINARY_DIR}/${target}-${name}.texts.h)
    add_custom_command(OUTPUT ${texts}
      COMMAND ${CMAKE_COMMAND} -E env "CC=${CMAKE_C_COMPILER}"
              ${YOKE_EMBED} -o ${texts} -M ${texts}.d ${quiet} ${source} ${exact}
              "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      DEPENDS ${source} ${YOKE_EMBED} DEPFILE ${texts}.d
      COMMENT "Flattening ${name} for devices" COMMAND_EXPAND_LISTS VERBATIM)
    if(arg_CHECK)
      add_custom_command(OUTPUT ${texts}.checked
        COMMAND ${CMAKE_COMMAND} -E env "CC=${CMAKE_C_COMPILER}" YOKE_LIB=$<TARGET_FILE:yoke::yoke>
                ${YOKE_EMBED} --check ${quiet} ${source} ${exact}
                "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
                "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
        COMMAND ${CMAKE_COMMAND} -E touch ${texts}.checked
        DEPENDS ${texts} yoke::yoke COMMENT "Compiling ${name} for the devices here" COMMAND_EXPAND_LISTS VERBATIM)
      target_sources(${target} PRIVATE ${texts}.checked)
    endif()
    set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${texts})
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${flags})
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
      "YOKE_SOURCE_FILE=\"${texts}\"")
    target_sources(${target} PRIVATE ${source} ${texts})
  endforeach()
endfunction()
