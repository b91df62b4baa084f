# A kernel flavour is one compilation of a set of kernel files, linked into one relocatable object
# whose only visible symbol is its register_all(Catalog&). Without that the linker would merge weak
# inline functions across flavours, so that code built for one (instrumented, or for a newer CPU)
# would run in the others.
#
# wm_kernel_flavour(NAME [NAMESPACE ns] [FLAGS ...] GLOB patterns-or-folders...)
#   compiles each file for the host through a generated wrapper and defines ${NAME}_KERNEL_OBJECT.
find_program(WARPMARK_OBJCOPY NAMES objcopy REQUIRED)
find_program(WARPMARK_LD NAMES ld.bfd ld REQUIRED)

# Flags of a race flavour. Only kernels are compiled so; the functions the instrumentation calls are
# the emulator's own (src/emu/race). One access stays one access: the compiler neither merges nor
# splits them, nor repeats a store behind a loop (-fno-move-loop-stores). -g: reports name lines,
# through inlined functions too; binutils' addr2line cannot follow those in what clang++ writes as
# DWARF 5.
set(WARPMARK_RACE_FLAGS -fsanitize=thread -O1 -fno-tree-vectorize -fno-tree-slp-vectorize -fno-unroll-loops -g)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND WARPMARK_RACE_FLAGS -gdwarf-4 -fno-vectorize -fno-slp-vectorize "SHELL:-mllvm -tsan-instrument-func-entry-exit=0")
else()
  list(APPEND WARPMARK_RACE_FLAGS --param=tsan-instrument-func-entry-exit=0 -fno-move-loop-stores)
endif()

# As a record says them.
list(JOIN WARPMARK_RACE_FLAGS " " WARPMARK_COUNT_FLAGS)
string(REPLACE "SHELL:" "" WARPMARK_COUNT_FLAGS "${WARPMARK_COUNT_FLAGS} -march=x86-64-v3 -ffp-contract=off")

function(wm_glob_kernels out)
  set(files)
  foreach(pattern ${ARGN})
    if(IS_DIRECTORY ${pattern})
      file(GLOB found CONFIGURE_DEPENDS ${pattern}/*.cu)
    else()
      file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
    endif()
    list(APPEND files ${found})
  endforeach()
  list(SORT files)
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# src/kernels/conv/direct.cu -> conv_direct; a user's folder/foo.cu -> folder_foo.
function(wm_kernel_stem out file)
  get_filename_component(stem ${file} NAME_WE)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(family ${folder} NAME)
  string(REGEX REPLACE "[^A-Za-z0-9_]" "_" clean "${family}_${stem}")
  set(${out} ${clean} PARENT_SCOPE)
endfunction()

# Writes the call list: declares every registrar and calls them in order of their names.
function(wm_write_registrars path namespace)
  set(declarations "")
  set(calls "")
  foreach(file ${ARGN})
    wm_kernel_stem(stem ${file})
    string(APPEND declarations "void register_${stem}(Catalog& catalog);  // ${file}\n")
    string(APPEND calls "  register_${stem}(catalog);\n")
  endforeach()
  set(text "// Generated from the list of kernel files.\n#include \"registry/catalog.hpp\"\n\nnamespace wm::${namespace} {\n\n${declarations}\nvoid register_all(Catalog& catalog);\nvoid register_all(Catalog& catalog) {\n${calls}  (void)catalog;\n}\n\n}  // namespace wm::${namespace}\n")
  file(CONFIGURE OUTPUT ${path} CONTENT "${text}" @ONLY)
endfunction()

# Links the objects of ${name}_kernel_objects into one whose only global symbol is register_all.
function(wm_localise name namespace)
  set(object ${CMAKE_BINARY_DIR}/kernels/${name}/${name}_kernels.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${WARPMARK_LD} -r --force-group-allocation -o ${object}.all.o $<TARGET_OBJECTS:${name}_kernel_objects>
    COMMAND ${WARPMARK_OBJCOPY} -w --keep-global-symbol=*${namespace}*register_all* ${object}.all.o ${object}
    DEPENDS ${name}_kernel_objects $<TARGET_OBJECTS:${name}_kernel_objects>
    COMMAND_EXPAND_LISTS VERBATIM COMMENT "Localising the ${name} kernels")
  add_custom_target(${name}_kernels DEPENDS ${object})
  set_property(GLOBAL PROPERTY wm_kernel_object_${name} ${object})
  set_property(GLOBAL PROPERTY wm_kernel_namespace_${name} ${namespace})
endfunction()

function(wm_kernel_flavour name)
  cmake_parse_arguments(ARG "" "NAMESPACE" "GLOB;FLAGS" ${ARGN})
  if(NOT ARG_NAMESPACE)
    set(ARG_NAMESPACE ${name}_kernels)
  endif()
  wm_glob_kernels(files ${ARG_GLOB})
  set(dir ${CMAKE_BINARY_DIR}/kernels/${name})
  set(wrappers)
  foreach(file ${files})
    wm_kernel_stem(stem ${file})
    # A relative path, so that compiler caches serve clones in any folder.
    file(RELATIVE_PATH path ${dir} ${file})
    file(CONFIGURE OUTPUT ${dir}/${stem}.cpp CONTENT "#include \"${path}\"\n" @ONLY)
    list(APPEND wrappers ${dir}/${stem}.cpp)
  endforeach()
  wm_write_registrars(${dir}/register_all.cpp ${ARG_NAMESPACE} ${files})

  add_library(${name}_kernel_objects OBJECT ${wrappers} ${dir}/register_all.cpp)
  target_link_libraries(${name}_kernel_objects PRIVATE wm_options)
  if(NOT "-fsanitize=thread" IN_LIST ARG_FLAGS)
    target_link_libraries(${name}_kernel_objects PRIVATE wm_sanitizers wm_kernel_sanitizers)
  endif()
  target_compile_definitions(${name}_kernel_objects PRIVATE WM_FLAVOUR=${ARG_NAMESPACE})
  target_compile_options(${name}_kernel_objects PRIVATE $<$<CONFIG:Release>:${WARPMARK_KERNEL_OPTIMISATION}> $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique> ${ARG_FLAGS})

  wm_localise(${name} ${ARG_NAMESPACE})
endfunction()

# Adds a flavour's object to an executable.
function(wm_link_kernels target name)
  get_property(object GLOBAL PROPERTY wm_kernel_object_${name})
  target_link_libraries(${target} PRIVATE ${object})
  add_dependencies(${target} ${name}_kernels)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${object})
endfunction()
