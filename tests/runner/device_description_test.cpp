// Descriptions of GPUs: the embedded ones, wrong ones, and their shared-memory limits on the
// emulator.
#define WM_FLAVOUR device_description_test
#include "runner/device_description.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "gpu/device.hpp"
#include "gpu/kernel.hpp"
#include "runner/runner.hpp"

namespace wm::WM_FLAVOUR {
namespace {

TEST(DeviceDescription, TheDefaultIsTheH200) {
  EXPECT_EQ(emu_arch("h200"), DeviceProps{});
  EXPECT_EQ(emu_arch_names(),
            (std::vector<std::string>{"h200", "a100", "b200", "h100", "rtx4090"}));
}

TEST(DeviceDescription, EveryFileIsNamedAfterItsArch) {
  for (const EmbeddedFile& file : embedded_device_files())
    EXPECT_EQ(device_of(*parse_json(file.name, file.text)).arch,
              std::filesystem::path(file.name).stem().string());
}

/// Clock, lanes and peak rates of a description belong together: 128 or 64 f32 lanes a
/// multiprocessor, each a fused multiply-add a cycle; tensor rates halve with each wider type.
TEST(DeviceDescription, RatesAgreeWithEachOther) {
  for (const DeviceProps& props : emu_arch_list()) {
    SCOPED_TRACE(props.arch);
    const PeakRates& peaks = props.peaks;
    const double lanes = props.compute_capability == 80 ? 64 : 128;
    EXPECT_NEAR(peaks.f32 / (2 * lanes * props.sm_count * peaks.boost_clock_hz), 1, 0.01);
    EXPECT_NEAR(peaks.tensor_f16 / peaks.tensor_tf32, 2, 0.01);
    EXPECT_EQ(peaks.tensor_f16, peaks.tensor_bf16);
    if (peaks.tensor_f8 > 0) {
      EXPECT_NEAR(peaks.tensor_f8 / peaks.tensor_f16, 2, 0.01);
    }
    EXPECT_LT(peaks.f64, peaks.f32);
    EXPECT_EQ(props.shared_per_sm_bytes - props.shared_optin_bytes, 1024U);
  }
}

std::string embedded(const std::string& name) {
  for (const EmbeddedFile& file : embedded_device_files())
    if (std::filesystem::path(file.name).stem() == name) return file.text;
  return {};
}

/// What is said about h100.json with the first match of `pattern` replaced.
std::string message(const std::string& pattern, const std::string& replacement) {
  const std::string text = std::regex_replace(embedded("h100"), std::regex(pattern), replacement,
                                              std::regex_constants::format_first_only);
  try {
    device_of(*parse_json("gpu.json", text));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(DeviceDescription, WrongOnesAreRefusedWithKeyAndPlace) {
  EXPECT_EQ(message("nothing of that", ""), "");
  const auto expect = [](const std::string& text, const std::string& place,
                         const std::string& part) {
    EXPECT_TRUE(text.starts_with("gpu.json:")) << text;
    EXPECT_NE(text.find(place), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message("\"sm_count\".*\n", ""), "gpu.json:1:1", "key 'sm_count' is missing");
  expect(message("\"sm_count\"", "\"sms_count\""), "/sms_count", "did you mean 'sm_count'?");
  expect(message("\"value\": 132", "\"value\": 0"), "/sm_count/value",
         "sm_count is 0, allowed are 1 to 4096");
  expect(message("\"value\": 132", "\"value\": 1.5"), "/sm_count/value", "expected an integer");
  expect(message("\"value\": 132", "\"value\": \"132\""), "/sm_count/value", "expected an integer");
  expect(message("\"value\": 132, \"source\": \"whitepaper\"", "\"value\": 132"), "/sm_count",
         "key 'source' is missing");
  expect(message("\"value\": 132, \"source\": \"whitepaper\"",
                 "\"value\": 132, \"source\": \"whitpaper\""),
         "/sm_count/source", "did you mean 'whitepaper'?");
  expect(message("\"value\": 32, ", "\"value\": 64, "), "/warp_size/value", "allowed are 32 to 32");
  expect(message("\"value\": 1024", "\"value\": 2048"), "/max_threads_per_block/value",
         "allowed are 32 to 1024");
  expect(message("\"value\": 232448", "\"value\": 240000"), "/shared_optin_bytes",
         "more than shared_per_sm_bytes, 233472");
  expect(message("\"value\": \"h100\"", "\"value\": \"h10\""), "/mma_model/value",
         "unknown tensor-core model 'h10'");
  expect(message("3.35e12", "-1"), "/peaks/memory_bytes_per_s/value", "expected a positive number");
  expect(message("\"arch\": \"h100\"", "\"arch\": \"h100+x\""), "/arch", "without '+'");
  EXPECT_EQ(message("\"f16\": .*\n", ""), "");  // a rate may be left out
}

TEST(DeviceDescription, AFileOfTheUsersOwn) {
  const std::string path = ::testing::TempDir() + "/my+gpu.json";
  const std::string text =
      std::regex_replace(embedded("a100"), std::regex("\"arch\": \"a100\""), "\"arch\": \"mine\"");
  std::ofstream(path) << std::regex_replace(text, std::regex("\"value\": 108"), "\"value\": 7");
  EXPECT_EQ(emu_arch(path).arch, "mine");
  EXPECT_EQ(emu_arch(path).sm_count, 7);
  EXPECT_EQ(emu_arch(path).mma_model, "a100");
  EXPECT_EQ(emu_arch(path + "+ieee").mma_model, "ieee");
  EXPECT_THROW(emu_arch("absent.json"), UsageError);
  EXPECT_THROW(emu_arch("h20"), UsageError);
  std::filesystem::remove(path);
}

__global__ void fills_dynamic(int* y, int count) {
  int* data = WM_DYN_SHARED(int);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    data[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) y[0] = data[count - 1];
}

__global__ void fills_both(int* y) {
  WM_SHARED(char, data, [1024]);
  data[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) y[0] = data[31];
}

/// The message of a launch with `shared` bytes; empty when it works.
template <auto Kernel, class... Args>
std::string launch_with(Device& device, std::size_t shared, const Args&... args) {
  try {
    launch<Kernel>(LaunchShape{.grid = dim3(1), .block = dim3(32), .shared_bytes = shared},
                   device.stream(), args...);
  } catch (const KernelError& error) {
    return error.what();
  }
  return {};
}

TEST(DeviceDescription, SharedMemoryIsHeldToTheLimitExactly) {
  for (const DeviceProps& props : emu_arch_list()) {
    SCOPED_TRACE(props.arch);
    const auto device = make_emu_device(props, 1);
    const auto buffer = device->allocate("y", sizeof(int), sizeof(int), Guard::none);
    int* y = static_cast<int*>(buffer->data());
    const std::size_t limit = props.shared_optin_bytes;
    const int count = static_cast<int>(limit / sizeof(int));
    EXPECT_EQ(launch_with<fills_dynamic>(*device, limit, y, count), "");
    EXPECT_EQ(*y, count - 1);
    EXPECT_NE(launch_with<fills_dynamic>(*device, limit + 1, y, count)
                  .find(std::to_string(limit + 1) + " bytes of dynamic shared memory, limit " +
                        std::to_string(limit)),
              std::string::npos);
    EXPECT_EQ(launch_with<fills_both>(*device, limit - 1024, y), "");
    EXPECT_NE(launch_with<fills_both>(*device, limit - 1023, y)
                  .find("1024 bytes of static and " + std::to_string(limit - 1023) +
                        " bytes of dynamic shared memory, limit " + std::to_string(limit)),
              std::string::npos);
  }
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
