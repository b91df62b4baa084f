#pragma once
// Fixture of the emulator's tests: a device, typed copies, and the message of a launch that fails.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "gpu/device.hpp"
#include "gpu/kernel.hpp"

namespace wm::test {

class EmuTest : public ::testing::Test {
 protected:
  Stream stream() { return device_->stream(); }
  void use_threads(unsigned os_threads) { device_ = make_emu_device(DeviceProps{}, os_threads); }

  template <class T>
  std::unique_ptr<Buffer> upload(const std::string& name, const std::vector<T>& values,
                                 Guard guard = Guard::none) {
    auto buffer = device_->allocate(name, values.size() * sizeof(T), sizeof(T), guard);
    device_->upload(*buffer, values.data(), values.size() * sizeof(T));
    return buffer;
  }
  template <class T>
  std::vector<T> download(const std::unique_ptr<Buffer>& buffer) {
    std::vector<T> values(buffer->bytes() / sizeof(T));
    device_->download(values.data(), *buffer, buffer->bytes());
    return values;
  }
  template <class T>
  static T* ptr(const std::unique_ptr<Buffer>& buffer) {
    return static_cast<T*>(buffer->data());
  }

  /// What the KernelError says that `action` throws; empty when it throws none.
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const KernelError& error) {
      return error.what();
    }
    return {};
  }

  std::unique_ptr<Device> device_ = make_emu_device(DeviceProps{}, 2);
};

}  // namespace wm::test
