#include "emu/buffers.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "core/error.hpp"
#include "emu/fiber.hpp"
#include "emu/memory_pattern.hpp"
#include "emu/race/shadow.hpp"

namespace wm::emu {
namespace {

constexpr std::size_t kPage = 4096;
/// Inaccessible on both sides. Address space is free, and a row's overrun should hit it too.
constexpr std::size_t kGuardBytes = 1024 * 1024;
constexpr std::size_t kBaseAlignment = 256;
constexpr std::size_t kMinCanary = 64;
constexpr std::size_t kKeptFreed = 256;
constexpr std::size_t kLargest = std::size_t{1} << 60;  // sums with it do not overflow

struct Region {
  std::uintptr_t begin = 0, end = 0;  ///< the mapping, guards included
  std::uintptr_t data = 0;
  std::size_t bytes = 0;
  std::string name;
  bool freed = false;
};

/// Live buffers, and the latest freed ones: their addresses stay inaccessible for a while, so that
/// a late access is a fault that can be explained.
class Registry {
 public:
  void add(Region region) {
    const std::lock_guard lock(mutex_);
    const auto begin = region.begin;
    regions_[begin] = std::move(region);
  }
  void retire(std::uintptr_t begin) {
    const std::lock_guard lock(mutex_);
    Region& region = regions_[begin];
    region.freed = true;
    void* memory = mmap(reinterpret_cast<void*>(begin), region.end - begin, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    freed_.push_back(begin);
    if (memory != MAP_FAILED && freed_.size() <= kKeptFreed) return;
    const auto oldest = regions_.find(freed_.front());
    munmap(reinterpret_cast<void*>(oldest->first), oldest->second.end - oldest->first);
    regions_.erase(oldest);
    freed_.pop_front();
  }
  bool find(std::uintptr_t address, Region& found) const {
    const std::lock_guard lock(mutex_);
    auto it = regions_.upper_bound(address);
    if (it == regions_.begin()) return false;
    found = std::prev(it)->second;
    return address < found.end;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Region> regions_;
  std::deque<std::uintptr_t> freed_;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

class EmuBuffer : public Buffer {
 public:
  EmuBuffer(const std::string& name, std::size_t bytes, Guard guard);
  EmuBuffer(const EmuBuffer&) = delete;
  EmuBuffer& operator=(const EmuBuffer&) = delete;
  ~EmuBuffer() override { registry().retire(reinterpret_cast<std::uintptr_t>(mapping_)); }

  void add_shadow(std::size_t element_bytes) {
    const std::size_t granule = element_bytes % 4 == 0 ? 4 : element_bytes % 2 == 0 ? 2 : 1;
    shadow_ = race::ShadowRange(first_, static_cast<std::size_t>(last_ - first_), granule);
  }
  std::byte* first() const { return first_; }
  std::byte* last() const { return last_; }

 private:
  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* first_ = nullptr;  ///< accessible memory
  std::byte* last_ = nullptr;
  race::ShadowRange shadow_;
};

EmuBuffer::EmuBuffer(const std::string& name, std::size_t bytes, Guard guard) {
  name_ = name;
  bytes_ = bytes;
  const auto refuse = [&](const char* reason) {
    throw EnvironmentError("no memory for buffer \"" + name + "\" of " + std::to_string(bytes) +
                           " bytes: " + reason);
  };
  if (bytes > kLargest) refuse("larger than an address space");
  const std::size_t front = guard == Guard::none ? kBaseAlignment : 0;
  const std::size_t back = guard == Guard::none ? kMinCanary : 0;
  const std::size_t accessible = round_up(front + bytes + back, kPage);
  mapped_ = accessible + 2 * kGuardBytes;
  void* memory =
      mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED ||
      mprotect(static_cast<std::byte*>(memory) + kGuardBytes, accessible, PROT_READ | PROT_WRITE)) {
    const char* reason = std::strerror(errno);
    if (memory != MAP_FAILED) munmap(memory, mapped_);
    refuse(reason);
  }
  mapping_ = static_cast<std::byte*>(memory);
  first_ = mapping_ + kGuardBytes;
  last_ = first_ + accessible;
  forget_variables(first_, accessible);
  std::byte* data = guard == Guard::back ? last_ - bytes : first_ + front;
  data_ = data;
  write_canary(first_, static_cast<std::size_t>(data - first_));
  write_canary(data + bytes, static_cast<std::size_t>(last_ - data) - bytes);
  registry().add({reinterpret_cast<std::uintptr_t>(mapping_),
                  reinterpret_cast<std::uintptr_t>(mapping_) + mapped_,
                  reinterpret_cast<std::uintptr_t>(data), bytes, name, false});
}

}  // namespace

std::unique_ptr<Buffer> make_buffer(const std::string& name, std::size_t bytes,
                                    std::size_t element_bytes, Guard guard, bool shadow) {
  if (guard == Guard::back && bytes % element_bytes != 0)
    throw UsageError("buffer \"" + name + "\": " + std::to_string(bytes) +
                     " bytes are not a whole number of elements of " +
                     std::to_string(element_bytes) + " bytes");
  auto buffer = std::make_unique<EmuBuffer>(name, bytes, guard);
  if (shadow) buffer->add_shadow(element_bytes);
  if (bytes > 0) std::memset(buffer->data(), static_cast<int>(Poison::nan), bytes);
  return buffer;
}

std::string canary_report(const Buffer& buffer) {
  const auto& emu = dynamic_cast<const EmuBuffer&>(buffer);
  const auto* data = static_cast<const std::byte*>(buffer.data());
  const auto* end = data + buffer.bytes();
  const auto before = check_canary(emu.first(), static_cast<std::size_t>(data - emu.first()));
  const auto after = check_canary(end, static_cast<std::size_t>(emu.last() - end));
  std::string report;
  if (after.bytes > 0)
    report = std::to_string(after.bytes) + " bytes written after the end of buffer \"" +
             buffer.name() + "\" (" + std::to_string(buffer.bytes()) + " bytes), the first " +
             std::to_string(after.first) + " bytes past it";
  if (before.bytes > 0) {
    if (!report.empty()) report += "; ";
    const auto distance = static_cast<std::size_t>(data - emu.first()) - before.first;
    report += std::to_string(before.bytes) + " bytes written before the start of buffer \"" +
              buffer.name() + "\" (" + std::to_string(buffer.bytes()) + " bytes), the first " +
              std::to_string(distance) + " bytes before it";
  }
  return report;
}

std::string describe_address(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  Region region;
  if (!registry().find(address, region)) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
    return address < kPage ? std::string("null pointer (address ") + text + ")"
                           : std::string("address ") + text + ", which belongs to no buffer";
  }
  const auto offset = static_cast<std::int64_t>(address - region.data);
  std::string text = "byte " + std::to_string(offset) +
                     (region.freed ? " of freed buffer \"" : " of buffer \"") + region.name +
                     "\" (" + std::to_string(region.bytes) + " bytes)";
  if (offset < 0) return text + ", " + std::to_string(-offset) + " bytes before its start";
  const auto past = offset - static_cast<std::int64_t>(region.bytes);
  if (past >= 0) text += ", " + std::to_string(past) + " bytes past its end";
  return text;
}

}  // namespace wm::emu
