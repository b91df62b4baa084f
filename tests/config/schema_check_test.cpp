#include "config/schema_check.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace wm {
namespace {

std::string refusal(const std::string& text) {
  try {
    check_sweep_schema(*parse_json("sweep.json", text));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(SchemaCheck, TakesWhatTheSchemaDescribes) {
  EXPECT_EQ(refusal(R"({"cases": [{"op": "matmul", "m": 1, "n": [1, 2], "k": {"pow2": [1, 8]}}]})"),
            "");
}

TEST(SchemaCheck, NamesThePlaceAndTheRule) {
  const std::string wrong_type = refusal("{\"cases\": [\n  {\"op\": \"matmul\", \"m\": {}}]}");
  EXPECT_NE(wrong_type.find("sweep.json:2:"), std::string::npos) << wrong_type;
  EXPECT_NE(wrong_type.find("/cases/0/m"), std::string::npos) << wrong_type;
  const std::string unknown = refusal(R"({"cases": [], "cses": 1})");
  EXPECT_NE(unknown.find("cses"), std::string::npos) << unknown;
}

}  // namespace
}  // namespace wm
