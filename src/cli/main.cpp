// Checks the CPU before anything else, then hands over. This file is compiled without -march, so
// that the message appears on a machine that could not run the rest.
#include <cstdio>

#include "cli/cli.hpp"

namespace wm::emu_kernels {
void register_all(Catalog& catalog);
}

namespace {

/// Kernels on the emulator need fused multiply-add in hardware (a software fma is 100 times
/// slower); the build targets x86-64-v3.
bool cpu_is_new_enough() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
  return true;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (!cpu_is_new_enough()) {
    std::fputs("warpmark: this CPU lacks AVX2, FMA or BMI2 (x86-64-v3); the emulator needs them\n",
               stderr);
    return 5;
  }
  wm::CatalogSet catalogs;
  wm::emu_kernels::register_all(catalogs.emu);
  return wm::cli_main(argc, argv, catalogs);
}
