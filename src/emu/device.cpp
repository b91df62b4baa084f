#include <algorithm>
#include <cstring>
#include <thread>

#include "core/error.hpp"
#include "emu/buffers.hpp"
#include "emu/count/counter.hpp"
#include "emu/executor.hpp"
#include "gpu/device.hpp"

namespace wm {
namespace emu {
namespace {

void check_size(const Buffer& buffer, std::size_t bytes) {
  if (bytes > buffer.bytes())
    throw UsageError("copy of " + std::to_string(bytes) + " bytes, buffer \"" + buffer.name() +
                     "\" has " + std::to_string(buffer.bytes()));
}

class EmuDevice : public Device {
 public:
  EmuDevice(const DeviceProps& props, unsigned threads, bool race)
      : race_(race), executor_(props, threads, race) {}

  DeviceKind kind() const override { return race_ ? DeviceKind::emu_race : DeviceKind::emu; }
  std::string id() const override { return race_ ? "emu-race" : "emu"; }
  const DeviceProps& props() const override { return executor_.props(); }

  std::unique_ptr<Buffer> allocate(const std::string& name, std::size_t bytes,
                                   std::size_t element_bytes, Guard guard) override {
    return make_buffer(name, bytes, element_bytes, guard, race_);
  }
  void upload(Buffer& to, const void* from, std::size_t bytes) override {
    check_size(to, bytes);
    if (bytes > 0) std::memcpy(to.data(), from, bytes);
  }
  void download(void* to, const Buffer& from, std::size_t bytes) override {
    check_size(from, bytes);
    if (bytes > 0) std::memcpy(to, from.data(), bytes);
  }
  /// Also chooses what shared memory holds when a block begins.
  void fill(Buffer& buffer, Poison poison) override {
    executor_.set_shared_poison(poison);
    if (buffer.bytes() > 0) std::memset(buffer.data(), static_cast<int>(poison), buffer.bytes());
  }
  std::string check_canaries(const Buffer& buffer) override { return canary_report(buffer); }

  void set_schedule(const Schedule& schedule) override { executor_.set_schedule(schedule); }
  Stream stream() override { return {&executor_}; }
  void synchronize() override {}  // a launch returns when it has ended

  bool can_count() const override { return race_; }
  void begin_counting() override {
    if (!race_) return Device::begin_counting();
    counter_ = std::make_unique<count::Counter>();
    executor_.set_counter(counter_.get());
  }
  std::vector<KernelCounters> end_counting() override {
    executor_.set_counter(nullptr);
    std::vector<KernelCounters> counted;
    if (counter_ != nullptr) counted = counter_->kernels();
    counter_.reset();
    return counted;
  }

 private:
  bool race_;
  std::unique_ptr<count::Counter> counter_;
  Executor executor_;
};

}  // namespace
}  // namespace emu

std::unique_ptr<Device> make_emu_device(const DeviceProps& props, unsigned threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  return std::make_unique<emu::EmuDevice>(props, threads, false);
}

std::unique_ptr<Device> make_emu_race_device(const DeviceProps& props) {
  return std::make_unique<emu::EmuDevice>(props, 1, true);
}

}  // namespace wm
