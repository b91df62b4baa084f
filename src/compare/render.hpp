#pragma once
// A comparison as text, Markdown and JSON.
#include <ostream>

#include "compare/compare.hpp"

namespace wm::compare {

/// Findings of one verdict that text and Markdown show; the counts are always complete.
inline constexpr std::int64_t kMaxShown = 100;

/// A line a finding, which names the case and ends in its repro command; what was not compared and
/// why; notes; counts. Control characters of names and reasons are written as \xNN.
void write_text(std::ostream& out, const Comparison& comparison);

void write_markdown(std::ostream& out, const Comparison& comparison);

/// The whole comparison (configs/schema/comparison.schema.json). `exit_code` is written as given.
void write_json(std::ostream& out, const Comparison& comparison, int exit_code);

/// "no change", or what was found: "1 worse, 2 changed".
std::string verdict_line(const Comparison& comparison);

/// Text with its control characters as \xNN.
std::string printable(std::string_view text);

}  // namespace wm::compare
