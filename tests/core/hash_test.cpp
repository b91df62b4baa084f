#include "core/hash.hpp"

#include <gtest/gtest.h>

namespace wm {
namespace {

// Examples of FIPS 180-4 (NIST's SHA256.pdf).
TEST(Hash, PublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Hash, PiecesGiveTheDigestOfTheWhole) {
  const std::string text(1000, 'a');
  Sha256 hash;
  hash.update(text.data(), 1);
  hash.update(text.data(), 0);
  hash.update(text.data(), 999);
  EXPECT_EQ(hash.hex(), sha256_hex(text));
}

TEST(Hash, EveryBitCounts) {
  const unsigned char a[2] = {0, 1};
  const unsigned char b[2] = {0, 0};
  EXPECT_NE(sha256_hex(a, 2), sha256_hex(b, 2));
  EXPECT_NE(sha256_hex(b, 2), sha256_hex(b, 1));
}

}  // namespace
}  // namespace wm
