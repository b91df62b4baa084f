// grid_sync under the race detector: a barrier over all blocks, and nothing more.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "gpu/device.hpp"
#include "registry/catalog.hpp"

namespace wm::planted_kernels {
void register_all(Catalog& catalog);
}

namespace wm {
namespace {

/// What the launch reports; empty when nothing.
std::string run_cooperative(const std::string& name, const std::string& schedule) {
  Catalog catalog;
  planted_kernels::register_all(catalog);
  const auto device = make_emu_race_device(DeviceProps{});
  device->set_schedule(Schedule::parse(schedule));
  const auto buffer = device->allocate("data", 8192, sizeof(int), Guard::none);
  LaunchArgs args;
  args.workspace = buffer->data();
  args.stream = device->stream();
  for (const Variant& variant : catalog.variants()) {
    if (variant.id.algorithm != name) continue;
    try {
      variant.launch(Problem{}, Config{}, args);
      return {};
    } catch (const KernelError& error) {
      return error.what();
    }
  }
  return "no such kernel";
}

class GridSyncRace : public ::testing::TestWithParam<std::string> {};

TEST_P(GridSyncRace, OrdersEverythingBetweenBlocks) {
  EXPECT_EQ(run_cooperative("grid_exchange", GetParam()), "");
}

TEST_P(GridSyncRace, IsMissedWhereItIsMissing) {
  for (const char* name : {"grid_missing_sync", "grid_sync_too_few"}) {
    const std::string report = run_cooperative(name, GetParam());
    EXPECT_TRUE(report.starts_with("race at grid_sync.cu:")) << name << ": " << report;
    EXPECT_NE(report.find("of buffer \"data\" (8192 bytes); unordered after the 4-byte"),
              std::string::npos)
        << report;
  }
}

TEST_P(GridSyncRace, DoesNotOrderTheThreadsOfABlockBehindIt) {
  const std::string report = run_cooperative("grid_then_block_race", GetParam());
  EXPECT_TRUE(report.starts_with("race at grid_sync.cu:")) << report;
  EXPECT_NE(report.find("of shared array \"tile\" (256 bytes)"), std::string::npos) << report;
}

INSTANTIATE_TEST_SUITE_P(Schedules, GridSyncRace,
                         ::testing::Values("in_order", "reverse", "random:1", "random:5"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& c : name)
                             if (c == ':') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace wm
