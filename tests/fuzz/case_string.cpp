// libFuzzer: any bytes as a case string are a case or a UsageError, and a case says itself.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "config/case.hpp"
#include "core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const wm::Case item = wm::parse_case_string(text);
    const std::string said = wm::to_case_string(item);
    if (wm::to_case_string(wm::parse_case_string(said)) != said) std::abort();
  } catch (const wm::UsageError&) {
  }
  return 0;
}
