# Style and script of the HTML report become constants of the report library.
set(page ${CMAKE_SOURCE_DIR}/src/report/page)
set(template ${CMAKE_SOURCE_DIR}/src/report/page_assets.hpp.in)
set(scripts ${page}/records.js ${page}/table.js ${page}/charts.js ${page}/page.js)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page}/report.css ${scripts})

file(READ ${page}/report.css WM_PAGE_STYLE)
set(WM_PAGE_SCRIPT "")
foreach(script ${scripts})
  file(READ ${script} text)
  string(APPEND WM_PAGE_SCRIPT "${text}")
endforeach()
configure_file(${template} ${CMAKE_BINARY_DIR}/generated/report/page_assets.hpp @ONLY)
target_include_directories(wm_report PRIVATE ${CMAKE_BINARY_DIR}/generated)
