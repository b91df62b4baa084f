#include "report/policy.hpp"

#include "core/hash.hpp"

namespace wm::report {
namespace {

unsigned hex_digit(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); }

/// Base64 (RFC 4648) of bytes given as an even number of lower-case hex digits.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned bits = 0, count = 0;  // the low `count` bits are not written yet
  for (char c : hex) {
    bits = bits << 4 | hex_digit(c);
    count += 4;
    if (count >= 6) {
      count -= 6;
      text += kAlphabet[bits >> count & 63];
    }
  }
  if (count > 0) text += kAlphabet[bits << (6 - count) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace

std::string policy_hash(std::string_view content) {
  return "'sha256-" + base64_of_hex(sha256_hex(content)) + "'";
}

}  // namespace wm::report
