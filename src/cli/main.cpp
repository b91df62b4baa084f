// Entry point. Everything else is compiled for x86-64-v3 (the kernels need hardware FMA), so the CPU is
// checked before any other static initialiser runs.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cli/cli.hpp"
#include "registry/catalog_set.hpp"

namespace {

#if defined(__x86_64__)
__attribute__((constructor(101))) void check_cpu() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    return;
  std::fputs(
      "warpmark: this CPU lacks AVX2, FMA or BMI2; the emulator needs x86-64-v3 (Haswell or Zen and "
      "newer)\n",
      stderr);
  std::exit(5);
}
#endif

}  // namespace

namespace wm::WM_EMU_NAMESPACE {
void register_all(Catalog& catalog);
}
#ifdef WM_WITH_CUDA
namespace wm {
std::vector<std::unique_ptr<Device>> make_cuda_devices();
}
namespace wm::cuda_kernels {
void register_all(Catalog& catalog);
}
#endif

int main(int argc, char** argv) {
  wm::CatalogSet catalogs;
  wm::WM_EMU_NAMESPACE::register_all(catalogs.emu);
#ifdef WM_WITH_CUDA
  wm::cuda_kernels::register_all(catalogs.cuda);
  catalogs.make_cuda_devices = &wm::make_cuda_devices;
#endif
  return wm::cli_main(argc, argv, catalogs);
}
