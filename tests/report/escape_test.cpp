#include "report/escape.hpp"

#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "report/names.hpp"
#include "report/policy.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

TEST(Escape, CutsBetweenCharacters) {
  EXPECT_EQ(cut_text("short", 5), "short");
  EXPECT_EQ(cut_text("a\xE6\x97\xA5z", 2), "a... (4 more bytes)");
  EXPECT_EQ(cut_text("a\xE6\x97\xA5z", 4), "a\xE6\x97\xA5... (1 more bytes)");
}

TEST(Escape, OneLineHasNoControlsAndCannotReverseText) {
  EXPECT_EQ(one_line("a\nb\r\tc"), "a b  c");
  EXPECT_EQ(one_line("\x1b[31m\x7f"), "\xEF\xBF\xBD[31m\xEF\xBF\xBD");
  EXPECT_EQ(one_line("\xC2\x85|"), "\xEF\xBF\xBD|");
  EXPECT_EQ(one_line("\xE2\x80\xAE|\xE2\x81\xA6|"), "\xEF\xBF\xBD|\xEF\xBF\xBD|");
  // Neighbours of those characters and letters written from right to left stay.
  EXPECT_EQ(one_line("\xC2\xA0\xE2\x80\xAF\xD7\x90"), "\xC2\xA0\xE2\x80\xAF\xD7\x90");
}

TEST(Escape, CsvMakesFormulasText) {
  EXPECT_EQ(csv_text("=1+1"), "'=1+1");
  EXPECT_EQ(csv_text("+1"), "'+1");
  EXPECT_EQ(csv_text("-1"), "'-1");
  EXPECT_EQ(csv_text("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_text("\tx"), "'\tx");
  EXPECT_EQ(csv_text("=\"a\",b"), "\"'=\"\"a\"\",b\"");
  EXPECT_EQ(csv_text("a=b"), "a=b");
  EXPECT_EQ(csv_text(""), "");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Escape, HtmlLeavesNoMarkup) {
  EXPECT_EQ(html_escape("<a href=\"x\" title='y'>&\x01"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;\xEF\xBF\xBD");
  EXPECT_EQ(json_in_script("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
}

TEST(Escape, XmlHoldsOnlyItsOwnCharacters) {
  EXPECT_EQ(xml_text("a]]>b<c>&\x01\x1b|\xEF\xBF\xBF|\r\n\t"), "a]]&gt;b&lt;c&gt;&amp;||&#13;\n\t");
  EXPECT_EQ(xml_attribute("\"a\"\r\n\t"), "&quot;a&quot;&#13;&#10;&#9;");
}

TEST(Escape, GithubCommandsKeepOneLine) {
  EXPECT_EQ(github_message("50%\r\n::error::x"), "50%25%0D%0A::error::x");
  EXPECT_EQ(github_property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
}

TEST(Escape, PolicyHashIsTheBase64OfSha256) {
  // `printf "alert('Hello, world.');" | openssl dgst -sha256 -binary | openssl base64`
  EXPECT_EQ(policy_hash("alert('Hello, world.');"),
            "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
}

TEST(Escape, ShellWordsReadBack) {
  EXPECT_EQ(shell_word("plain-1.json"), "plain-1.json");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(UniqueNames, NumbersWhatIsGivenAgain) {
  UniqueNames names;
  EXPECT_EQ(names.unique("a"), "a");
  EXPECT_EQ(names.unique("b"), "b");
  EXPECT_EQ(names.unique("a"), "a #2");
  EXPECT_EQ(names.unique("a"), "a #3");
}

}  // namespace
}  // namespace wm::report
