#pragma once
// A device: allocate, copy, properties, and the knobs a probe turns. Launching goes through the
// variant's launcher with stream().
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/counters.hpp"
#include "gpu/device_props.hpp"
#include "gpu/stream.hpp"

namespace wm {

enum class DeviceKind { cuda, emu, emu_race, cpu };

/// Which end of a buffer touches an inaccessible page (emulator): `none` = aligned base with
/// canaries and a guard page after the round-up.
enum class Guard { none, back, front };

/// Byte patterns memory is filled with before a run. `nan`: 0xff, a NaN in every floating type;
/// `finite`: 0x4b, an ordinary number in every type.
enum class Poison : unsigned char { nan = 0xff, finite = 0x4b };

/// Order in which blocks, warps and lanes run on the emulator.
struct Schedule {
  enum class Kind { in_order, reverse, random } kind = Kind::in_order;
  std::uint64_t seed = 0;
  std::string to_string() const;            ///< "in_order", "reverse", "random:7"
  static Schedule parse(std::string_view);  ///< throws UsageError naming the allowed forms
  bool operator==(const Schedule&) const = default;
};

class Buffer {
 public:
  virtual ~Buffer() = default;
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

 protected:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::string name_;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceKind kind() const = 0;
  virtual std::string id() const = 0;  ///< "emu", "cuda:0"
  virtual const DeviceProps& props() const = 0;

  /// Exactly `bytes` long between canaries; base 256-byte aligned unless a guard moves it, in which
  /// case it stays aligned to `element_bytes`. Throws EnvironmentError when memory is short.
  virtual std::unique_ptr<Buffer> allocate(const std::string& name, std::size_t bytes,
                                           std::size_t element_bytes, Guard guard) = 0;
  virtual void upload(Buffer& to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const Buffer& from, std::size_t bytes) = 0;
  virtual void fill(Buffer& buffer, Poison poison) = 0;
  /// Violated canaries of the buffer, as one sentence ("12 bytes written after the end of 'y'"), or
  /// empty.
  virtual std::string check_canaries(const Buffer& buffer) = 0;

  virtual void set_schedule(const Schedule& schedule) = 0;  ///< no effect on CUDA
  virtual Stream stream() = 0;
  virtual void
  synchronize() = 0;  ///< throws KernelError for anything that went wrong since the last

  /// Whether launches can be counted (docs/counters.md).
  virtual bool can_count() const { return false; }
  /// Launches from here to end_counting are counted. Throws UsageError where that cannot be done.
  virtual void begin_counting();
  /// A row a kernel, in the order of their first launch.
  virtual std::vector<KernelCounters> end_counting() { return {}; }
};

/// The emulator. `threads` OS threads share the blocks of a grid (0: all cores).
std::unique_ptr<Device> make_emu_device(const DeviceProps& props, unsigned threads = 0);
/// The emulator with the race detector, for kernels of the race flavour; one OS thread. A launch in
/// which two accesses race throws KernelError.
std::unique_ptr<Device> make_emu_race_device(const DeviceProps& props);

}  // namespace wm
