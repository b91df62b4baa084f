# One interface target carries the language level, the warnings and the floating-point rules.
# x86-64-v3: kernels need hardware FMA (a software fma is 100 times slower); main() checks the CPU first.
add_library(wm_options INTERFACE)
target_include_directories(wm_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(wm_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wnon-virtual-dtor;-Wno-missing-field-initializers>"
  "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-fast-math;-fno-math-errno;-fno-trapping-math>")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(wm_default_march x86-64-v3)
endif()
set(WARPMARK_MARCH "${wm_default_march}" CACHE STRING "-march of everything; x86-64-v4 adds AVX-512; empty: the compiler's own")
if(WARPMARK_MARCH)
  target_compile_options(wm_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=${WARPMARK_MARCH}>)
endif()
if(WARPMARK_MARCH STREQUAL "x86-64-v4" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++'s own AVX-512 intrinsics, which Eigen calls, read an undefined register on purpose (GCC bug 105593).
  target_compile_options(wm_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-uninitialized;-Wno-maybe-uninitialized>")
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
# Apart from the other options: the race flavour of the kernels has its own instrumentation instead.
# -O1: the checks make -O3 of one unrolled kernel take two minutes of compilation, for 7 seconds.
add_library(wm_sanitizers INTERFACE)
if(WARPMARK_SANITIZE)
  target_compile_options(wm_sanitizers INTERFACE -fsanitize=${WARPMARK_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all -O1)
  target_link_options(wm_sanitizers INTERFACE -fsanitize=${WARPMARK_SANITIZE})
endif()
# Behind the former, for kernels: a null pointer there is the emulator's to report, with the thread.
add_library(wm_kernel_sanitizers INTERFACE)
if(WARPMARK_SANITIZE)
  target_compile_options(wm_kernel_sanitizers INTERFACE -fno-sanitize=null)
endif()
find_program(WARPMARK_CCACHE ccache)
if(WARPMARK_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WARPMARK_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${WARPMARK_CCACHE})
endif()
