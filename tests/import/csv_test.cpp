#include <gtest/gtest.h>

#include "import/import_util.hpp"

namespace wm::importing {
namespace {

TEST(Csv, RowsOfSeveralOps) {
  const Imported imported = read_text("csv",
                                      "op,label,count,m,n,k,c,h,w,r,s,dtype\n"
                                      "matmul,\"a, \"\"b\"\"\",2,3,4,5,,,,,,f16\n"
                                      "conv_fwd,,,,1,8,4,9,9,3,3,\n"
                                      "matmul,c,1,3,4,5,,,,,,f16\n");
  EXPECT_EQ(reasons(imported.unread), Lines{});
  EXPECT_EQ(shown(imported), (Lines{"matmul dtype=f16 k=5 m=3 n=4 x3 # a, \"b\", c",
                                    "conv_fwd c=4 dtype=f32 h=9 k=8 layout=nchw n=1 r=3 s=3 w=9"}));
}

TEST(Csv, OtherSeparatorsAndByteOrderMark) {
  EXPECT_EQ(read_text("csv", "\xEF\xBB\xBFop;m;n;k\r\nmatmul;1;2;3\r\n").cases.size(), 1u);
  EXPECT_EQ(read_text("csv", "op\tm\tn\tk\nmatmul\t1\t2\t3\n").cases.size(), 1u);
}

TEST(Csv, WhatIsNotReadIsListed) {
  const Imported imported = read_text("csv",
                                      "op,m,n,k,count\n"
                                      "matmul,1,2\n"
                                      "pool_max_fwd,1,2,3,1\n"
                                      "matmul,1,two,3,1\n"
                                      "matmul,1,2,\"3,1\n"
                                      "matmul,1,2,3,0\n"
                                      "matmul,1,2,3,1\n");
  EXPECT_EQ(imported.cases.size(), 1u);
  const Lines why = reasons(imported.unread);
  ASSERT_EQ(why.size(), 5u);
  EXPECT_EQ(why[0], "2: 3 fields, the header has 5");
  EXPECT_EQ(why[1], "3: op pool_max_fwd not in this library");
  EXPECT_NE(why[2].find("n=two"), std::string::npos);
  EXPECT_EQ(why[3], "5: a quote is not closed on this line");
  EXPECT_EQ(why[4], "6: count 0: expected 1 to 1000000000");
}

TEST(Csv, AHeaderThatSaysTooLittleOrTooMuch) {
  EXPECT_EQ(reasons(read_text("csv", "m,n,k\n1,2,3\n").unread),
            Lines{"1: the header needs a column op"});
  EXPECT_EQ(reasons(read_text("csv", "op,m,n,k,dtpye\n").unread),
            Lines{"1: unknown column 'dtpye'; the nearest key is 'dtype'"});
  EXPECT_EQ(reasons(read_text("csv", "op,m,m\n").unread), Lines{"1: column 'm' appears twice"});
}

}  // namespace
}  // namespace wm::importing
