# wm_embed_devices(TARGET): makes the GPU descriptions of configs/devices part of the binary, which then needs no files.
function(wm_embed_devices target)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/configs/devices/*.json)
  list(SORT files)
  set(entries "")
  foreach(file ${files})
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${file})
    file(READ ${file} text)
    string(APPEND entries "      {\"${name}\", R\"json(${text})json\"},\n")
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(path ${CMAKE_BINARY_DIR}/generated/embedded_devices.cpp)
  file(CONFIGURE OUTPUT ${path} @ONLY CONTENT
"// Generated from configs/devices.
#include \"runner/device_description.hpp\"

namespace wm {

const std::vector<EmbeddedFile>& embedded_device_files() {
  static const std::vector<EmbeddedFile> files{
@entries@  };
  return files;
}

}  // namespace wm
")
  target_sources(${target} PRIVATE ${path})
endfunction()
