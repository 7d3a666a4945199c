# Compiler settings for yoke's own code. Users' targets get none of these.
add_library(yoke_flags INTERFACE)
target_compile_options(yoke_flags INTERFACE
  -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes> -Wpointer-arith -Wundef
  -Wvla -fno-common
  -Wno-missing-field-initializers) # specs are written with the fields that matter; the rest is zero
target_compile_definitions(yoke_flags INTERFACE _GNU_SOURCE
  $<$<CONFIG:Debug>:YK_CHECKED=1>) # verify invariants at every step
if(YOKE_SANITIZE)
  target_compile_options(yoke_flags INTERFACE -fsanitize=${YOKE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(yoke_flags INTERFACE -fsanitize=${YOKE_SANITIZE})
endif()
