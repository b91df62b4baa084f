# wm_embed_text(TARGET FILE FUNCTION): makes a text file part of the binary, as what `const char* wm::FUNCTION()` gives.
function(wm_embed_text target file function)
  file(READ ${CMAKE_SOURCE_DIR}/${file} text)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${file})
  # A string literal may have 64 KiB; adjacent ones are joined.
  set(literals "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 16000 part)
    string(APPEND literals "R\"wm(${part})wm\"\n")
    math(EXPR at "${at} + 16000")
  endwhile()
  set(path ${CMAKE_BINARY_DIR}/generated/${function}.cpp)
  file(CONFIGURE OUTPUT ${path} @ONLY CONTENT
"// Generated from @file@.
namespace wm {

const char* @function@();
const char* @function@() {
  return
@literals@;
}

}  // namespace wm
")
  target_sources(${target} PRIVATE ${path})
endfunction()
