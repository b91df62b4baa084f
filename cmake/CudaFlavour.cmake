# The CUDA flavour: the same kernel files through nvcc, where nvcc 12.0 or newer is found (PATH,
# CUDACXX or CUDA_HOME). Otherwise the build goes on without it and `list devices` says so.
find_program(WARPMARK_NVCC nvcc HINTS ENV CUDA_HOME PATH_SUFFIXES bin NO_CMAKE_SYSTEM_PATH)
if(DEFINED ENV{CUDACXX})
  set(WARPMARK_NVCC $ENV{CUDACXX})
endif()
if(NOT WARPMARK_NVCC)
  message(STATUS "nvcc not found: building without the CUDA flavour")
  return()
endif()
execute_process(COMMAND ${WARPMARK_NVCC} --version OUTPUT_VARIABLE nvcc_text ERROR_QUIET)
string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" _ "${nvcc_text}")
if(NOT CMAKE_MATCH_1 OR CMAKE_MATCH_1 VERSION_LESS 12.0)
  message(STATUS "nvcc ${CMAKE_MATCH_1} is older than 12.0: building without the CUDA flavour")
  return()
endif()

set(CMAKE_CUDA_COMPILER ${WARPMARK_NVCC})
set(CMAKE_CUDA_ARCHITECTURES ${WARPMARK_CUDA_ARCHITECTURES})
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
# CMake 3.25 does not know that nvcc has this dialect.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
find_package(CUDAToolkit REQUIRED)
message(STATUS "CUDA flavour: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${WARPMARK_CUDA_ARCHITECTURES}")

# The floating-point rules of the host kernels: no contraction, IEEE division and square root,
# subnormals kept.
add_library(wm_cuda_options INTERFACE)
target_include_directories(wm_cuda_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(wm_cuda_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-prec-div=true;-prec-sqrt=true;-ftz=false;-Werror=all-warnings;--expt-relaxed-constexpr;-Xcompiler=-fno-gnu-unique,-Wall,-Wextra,-Wno-missing-field-initializers,-ffp-contract=off>")

# The kernels of `name` for CUDA, in namespace ${name}_kernels.
function(wm_cuda_flavour name)
  wm_glob_kernels(files ${ARGN})
  set(dir ${CMAKE_BINARY_DIR}/kernels/${name})
  wm_write_registrars(${dir}/register_all.cpp ${name}_kernels ${files})
  add_library(${name}_kernel_objects OBJECT ${files} ${dir}/register_all.cpp)
  target_link_libraries(${name}_kernel_objects PRIVATE wm_cuda_options)
  target_compile_definitions(${name}_kernel_objects PRIVATE WM_FLAVOUR=${name}_kernels)
  target_compile_options(${name}_kernel_objects PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  if(WARPMARK_CUDA_NO_LOCAL_MEMORY)
    target_compile_options(${name}_kernel_objects PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-warn-spills,-warn-lmem-usage,-Werror>")
  endif()
  wm_localise(${name} ${name}_kernels)
endfunction()
wm_cuda_flavour(cuda src/kernels/*/*.cu)
wm_cuda_flavour(cuda_probe src/probe/*.cu)

file(GLOB cuda_device_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/gpu/cuda/*.cu)
add_library(wm_cuda_device STATIC ${cuda_device_files})
target_link_libraries(wm_cuda_device PUBLIC wm_cuda_options wm_core CUDA::cudart_static)
set(WARPMARK_HAS_CUDA TRUE)
