// Entry point. Everything else is compiled for x86-64-v3 (kernels on the emulator need fused
// multiply-add in hardware: a software fma is 100 times slower), this file for any x86-64, and the
// CPU is checked before other static initialisers run.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/cli.hpp"

namespace {

#if defined(__x86_64__)
__attribute__((constructor(101))) void check_cpu() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    return;
  std::fputs("warpmark: this CPU lacks AVX2, FMA or BMI2 (x86-64-v3); the emulator needs them\n",
             stderr);
  std::exit(5);
}
#endif

}  // namespace

namespace wm::WM_EMU_NAMESPACE {
void register_all(Catalog& catalog);
}
namespace wm::probe_kernels {
void register_all(Catalog& catalog);
}
namespace wm::selfcheck_kernels {
void register_all(Catalog& catalog);
}
#if defined(WM_RACE_NAMESPACE)
namespace wm::WM_RACE_NAMESPACE {
void register_all(Catalog& catalog);
}
namespace wm::selfcheck_race_kernels {
void register_all(Catalog& catalog);
}
#endif
#if defined(WM_WITH_CUDA)
namespace wm {
std::vector<std::unique_ptr<Device>> make_cuda_devices();
}
namespace wm::cuda_kernels {
void register_all(Catalog& catalog);
}
namespace wm::cuda_probe_kernels {
void register_all(Catalog& catalog);
}
#endif

int main(int argc, char** argv) {
  // A report opened while a standard stream is closed would take its descriptor, and its text.
  while (true) {
    const int descriptor = open("/dev/null", O_RDWR);
    if (descriptor > STDERR_FILENO) close(descriptor);
    if (descriptor < 0 || descriptor > STDERR_FILENO) break;
  }
  wm::CatalogSet catalogs;
  wm::WM_EMU_NAMESPACE::register_all(catalogs.emu);
  wm::probe_kernels::register_all(catalogs.emu_probe);
  wm::selfcheck_kernels::register_all(catalogs.selfcheck);
#if defined(WM_RACE_NAMESPACE)
  wm::WM_RACE_NAMESPACE::register_all(catalogs.emu_race);
  wm::selfcheck_race_kernels::register_all(catalogs.selfcheck_race);
#endif
#if defined(WM_WITH_CUDA)
  wm::cuda_kernels::register_all(catalogs.cuda);
  wm::cuda_probe_kernels::register_all(catalogs.cuda_probe);
  catalogs.make_cuda_devices = &wm::make_cuda_devices;
#endif
  return wm::cli_main(argc, argv, catalogs);
}
