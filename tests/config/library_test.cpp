#include "config/library.hpp"

#include <gtest/gtest.h>

#include "config/case.hpp"
#include "core/error.hpp"

namespace wm {
namespace {

TEST(Library, EveryOpHasProblems) {
  for (const Op* op : all_ops()) {
    EXPECT_FALSE(library_problem(*op).empty()) << op->name << " is not audited";
    const std::vector<LibraryTypes> types{
        {op, op->has_layout ? "dtype=f16 layout=nhwc" : "dtype=f16"}};
    const auto covering = library_cases(types, LibrarySize::covering);
    EXPECT_GE(covering.size(), 2u) << op->name;
    EXPECT_GT(library_cases(types, LibrarySize::all).size(), covering.size()) << op->name;
  }
}

TEST(Library, EveryCaseIsAProblem) {
  for (const Op* op : all_ops())
    for (const std::string& text : library_cases({{op, "dtype=f32"}}, LibrarySize::all))
      EXPECT_NO_THROW(parse_case_string(text)) << text;
}

TEST(Library, SizesHaveNames) {
  EXPECT_EQ(parse_library_size("all"), LibrarySize::all);
  EXPECT_THROW(parse_library_size("every"), UsageError);
}

}  // namespace
}  // namespace wm
