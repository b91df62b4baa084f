#include "config/json_tree.hpp"

#include <gtest/gtest.h>

namespace wm {
namespace {

std::string place(const JsonDocument& document, const JsonNode& node) {
  return document.where(node);
}

TEST(JsonTree, KeepsThePlaceOfEveryValue) {
  const auto document = parse_json("f.json",
                                   "{\"a\": [10 , -2.5,\n  true,null, {}],\n\n"
                                   " \"b\":{\"c/d~\":\"x\\\"y\"}, \"e\":7}");
  const JsonNode& root = document->root;
  EXPECT_EQ(place(*document, root), "f.json:1:1: /");
  const JsonNode& a = *root.find("a");
  EXPECT_EQ(place(*document, a), "f.json:1:7: /a");
  EXPECT_EQ(place(*document, a.items[0]), "f.json:1:8: /a/0");
  EXPECT_EQ(place(*document, a.items[1]), "f.json:1:13: /a/1");
  EXPECT_EQ(place(*document, a.items[2]), "f.json:2:3: /a/2");
  EXPECT_EQ(place(*document, a.items[3]), "f.json:2:8: /a/3");
  EXPECT_EQ(place(*document, a.items[4]), "f.json:2:14: /a/4");
  const JsonMember& inner = root.find("b")->members.front();
  EXPECT_EQ(document->where(inner), "f.json:4:7: /b/c~1d~0");
  EXPECT_EQ(place(*document, inner.value), "f.json:4:14: /b/c~1d~0");
  EXPECT_EQ(place(*document, *root.find("e")), "f.json:4:27: /e");
}

TEST(JsonTree, NumbersKeepTheirText) {
  const auto document = parse_json("f", "[1, -0, 1e3, 123456789012345678901234567890, 0.10]");
  const auto& items = document->root.items;
  EXPECT_EQ(items[0].text, "1");
  EXPECT_EQ(items[2].kind, JsonNode::Kind::real);
  EXPECT_EQ(items[2].text, "1e3");
  EXPECT_EQ(items[3].kind, JsonNode::Kind::integer);
  EXPECT_EQ(items[3].text, "123456789012345678901234567890");
  EXPECT_EQ(items[4].text, "0.10");
}

TEST(JsonTree, ColumnsCountCharactersNotBytes) {
  const auto document = parse_json("f", "\xEF\xBB\xBF{\"\xC3\xA9\": [1]}");
  EXPECT_EQ(document->root.members.front().value.items.front().at.column, 9);
}

TEST(JsonTree, ErrorsHaveThePlace) {
  const auto message = [](const char* text) {
    try {
      parse_json("f", text);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("{\"a\": [1,\n 2,,]}").rfind("f:2:4: /a: not valid JSON: ", 0), 0U)
      << message("{\"a\": [1,\n 2,,]}");
  EXPECT_NE(message("{\"a\": {\"b\": 1, \"b\": 2}}").find("f:1:16: /a/b: key 'b' appears twice"),
            std::string::npos);
  EXPECT_NE(message("{} {}").find("not valid JSON"), std::string::npos);
}

}  // namespace
}  // namespace wm
