#pragma once
// Text from users (labels, reasons, file names, commands) made literal in each format.
#include <string>
#include <string_view>

namespace wm::report {

/// At most `bytes` of UTF-8 text, cut between characters; what was cut is counted at the end.
std::string cut_text(std::string_view text, std::size_t bytes);
/// One line that a terminal shows as it is: line breaks and tabs become blanks; other control
/// characters and those that reverse the direction of text become U+FFFD.
std::string one_line(std::string_view text);

/// Literal Markdown, also inside a table cell (no line breaks, no markup).
std::string md_escape(std::string_view text);
/// A fenced code block whose fence no content can close.
std::string md_code_block(std::string_view text);

/// One field of RFC 4180 CSV.
std::string csv_field(std::string_view text);
/// A CSV field of text: one that a spreadsheet would take for a formula (first character = + - @,
/// tab or CR) gets a leading apostrophe.
std::string csv_text(std::string_view text);

/// Content of an HTML element or of a quoted attribute.
std::string html_escape(std::string_view text);
/// JSON text as the content of a <script> element: no `<` is left in it.
std::string json_in_script(std::string json);

/// Content of an XML 1.0 element: characters XML cannot hold are left out.
std::string xml_text(std::string_view text);
/// A double-quoted XML attribute; line breaks and tabs survive as character references.
std::string xml_attribute(std::string_view text);

/// The message of a GitHub workflow command ("::error title=PROPERTY::MESSAGE").
std::string github_message(std::string_view text);
std::string github_property(std::string_view text);

}  // namespace wm::report
