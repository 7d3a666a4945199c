# yoke_add_kernels(<target> [FAST_MATH | EXACT] [CHECK] [NO_WARNINGS] file.c ...): compile kernel files into a target, vectorised, with
# their device texts inside.
#
# Each file is flattened for OpenCL and CUDA by yoke-embed (the C preprocessor does the work, with all
# options that the file is compiled with: include directories, definitions, flags) and the texts come in
# through YOKE_SOURCE_FILE, so a change to anything the kernel file includes rebuilds both. FAST_MATH adds -ffast-math to the CPU code of these
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
  list(APPEND flags ${YOKE_OWN_KERNEL_FLAGS}) # set where yoke's own kernels are built
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
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(source ${file} ABSOLUTE)
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    if(NOT file MATCHES "\\.c$")
      message(FATAL_ERROR "${file}: kernels are written in C; put them into a .c file (C++ declares them "
        "extern \"C\" const yoke_kernel NAME)")
    endif()
    get_property(taken SOURCE ${source} PROPERTY YOKE_KERNELS_OF)
    if(taken)
      message(FATAL_ERROR "${file} is a kernel file of ${taken} already; share it through an object library")
    endif()
    # a precompiled header was compiled with other flags
    set_property(SOURCE ${source} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    set_property(SOURCE ${source} PROPERTY YOKE_KERNELS_OF ${target})
    string(REPLACE ../ __/ inside ${name}) # as CMake names objects: files of other folders may have the same name
    set(texts ${CMAKE_CURRENT_BINARY_DIR}/${target}.texts/${inside}.h)
    get_filename_component(folder ${texts} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    set(options ${texts}.$<CONFIG>.options)
    add_custom_command(OUTPUT ${texts}
      COMMAND ${CMAKE_COMMAND} -E env "CC=${CMAKE_C_COMPILER}"
              ${YOKE_EMBED} -o ${texts} -M ${texts}.d ${quiet} ${source} ${exact} @${options}
      DEPENDS ${source} ${YOKE_EMBED} ${options} DEPFILE ${texts}.d
      COMMENT "Flattening ${name} for devices" COMMAND_EXPAND_LISTS VERBATIM)
    if(arg_CHECK)
      add_custom_command(OUTPUT ${texts}.checked
        COMMAND ${CMAKE_COMMAND} -E env "CC=${CMAKE_C_COMPILER}" YOKE_LIB=$<TARGET_FILE:yoke::yoke>
                ${YOKE_EMBED} --check ${quiet} ${source} ${exact} @${options}
        COMMAND ${CMAKE_COMMAND} -E touch ${texts}.checked
        DEPENDS ${texts} yoke::yoke COMMENT "Compiling ${name} for the devices here" COMMAND_EXPAND_LISTS VERBATIM)
      target_sources(${target} PRIVATE ${texts}.checked)
    endif()
    target_sources(${target} PRIVATE ${source} ${texts})
    # when the folder's file has been read, since it may set properties of the source and flags until then
    cmake_language(EVAL CODE
      "cmake_language(DEFER CALL yoke_compile_kernels [[${target}]] [[${source}]] [[${texts}]] [[${options}]] [[${flags}]])")
  endforeach()
endfunction()

# Of yoke_add_kernels: has the source compiled with these flags and texts, and writes into the file `options` what yoke-embed gets: the
# compiler's options, in its order. A target's may depend on the language, which of all commands only file(GENERATE) knows.
function(yoke_compile_kernels target source texts options flags)
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FLAGS)
    get_property(own_${property} SOURCE ${source} PROPERTY ${property})
    set(${property} $<TARGET_PROPERTY:${target},${property}>)
    set(all_${property} $<FILTER:${${property}},EXCLUDE,^$>)
  endforeach()
  set(lines "$<$<NOT:$<STREQUAL:${all_INCLUDE_DIRECTORIES},>>:-I$<JOIN:${all_INCLUDE_DIRECTORIES},\n-I>>"
    "$<$<NOT:$<STREQUAL:${all_COMPILE_DEFINITIONS},>>:-D$<JOIN:${all_COMPILE_DEFINITIONS},\n-D>>")
  list(TRANSFORM own_INCLUDE_DIRECTORIES PREPEND -I)
  foreach(definition IN LISTS own_COMPILE_DEFINITIONS)
    if(definition MATCHES "^\\$<") # may come to nothing
      set(definition "$<$<NOT:$<STREQUAL:${definition},>>:-D${definition}>")
    else()
      set(definition "-D${definition}")
    endif()
    list(APPEND lines "${definition}")
  endforeach()
  list(APPEND lines ${own_INCLUDE_DIRECTORIES} "SHELL:${CMAKE_C_FLAGS}")
  foreach(config IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
    string(TOUPPER "CMAKE_C_FLAGS_${config}" config_flags)
    list(APPEND lines "$<$<CONFIG:${config}>:SHELL:${${config_flags}}>")
  endforeach()
  list(APPEND lines "SHELL:${COMPILE_FLAGS}" "$<JOIN:${all_COMPILE_OPTIONS},\n>"
    "SHELL:${own_COMPILE_FLAGS}" ${flags} ${own_COMPILE_OPTIONS})
  string(REPLACE ";" "\n" lines "${lines}")
  file(GENERATE OUTPUT ${options} CONTENT "${lines}\n" CONDITION $<COMPILE_LANGUAGE:C> TARGET ${target})
  set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${texts})
  set_property(SOURCE ${source} PROPERTY COMPILE_OPTIONS ${flags} ${own_COMPILE_OPTIONS} "-DYOKE_SOURCE_FILE=\"${texts}\"")
endfunction()
