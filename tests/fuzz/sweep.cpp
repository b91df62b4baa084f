// libFuzzer: any bytes as a sweep file are a plan or a UsageError; its first cases are checked.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "config/plan.hpp"
#include "core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/tmp/warpmark-fuzz-" + std::to_string(getpid()) + ".json";
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const wm::Plan plan = wm::Plan::from_files({path});
    int left = 50;
    plan.for_each([&](const wm::Case&) { return --left > 0; });
    (void)plan.count();
  } catch (const wm::UsageError&) {
  }
  return 0;
}
