# Compiler settings for yoke's own code. Users' targets get none of these.
add_library(yoke_flags INTERFACE)
target_compile_options(yoke_flags INTERFACE
  -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes> -Wpointer-arith -Wundef
  -Wvla -fno-common
  -Wno-missing-field-initializers) # specs are written with the fields that matter; the rest is zero
target_compile_definitions(yoke_flags INTERFACE _GNU_SOURCE
  $<$<CONFIG:Debug>:YK_CHECKED=1>) # verify invariants at every step

# Of the library and the command, which read files and variables that others may have written. Kernels go without: they are the
# inner loops, and work on arrays that submit has checked.
add_library(yoke_hardening INTERFACE)
if(NOT YOKE_SANITIZE)
  target_compile_options(yoke_hardening INTERFACE -fstack-protector-strong)
  target_compile_definitions(yoke_hardening INTERFACE $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
  target_link_options(yoke_hardening INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
  set(YOKE_OWN_KERNEL_FLAGS -fno-stack-protector)
endif()
if(YOKE_SANITIZE)
  target_compile_options(yoke_flags INTERFACE -fsanitize=${YOKE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(yoke_flags INTERFACE -fsanitize=${YOKE_SANITIZE})
endif()
# What is read before it is written is nonsense: variables get a pattern, as the address sanitizer's malloc does.
if(YOKE_SANITIZE MATCHES address)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-ftrivial-auto-var-init=pattern YOKE_HAS_PATTERNS)
  if(YOKE_HAS_PATTERNS)
    target_compile_options(yoke_flags INTERFACE -ftrivial-auto-var-init=pattern)
  endif()
endif()
