#include "emu/arena.hpp"

#include <sys/mman.h>

#include <cstring>

#include "core/error.hpp"
#include "emu/fiber.hpp"
#include "emu/memory_pattern.hpp"

namespace wm::emu {
namespace {

constexpr std::size_t kGuard = 64 * 1024;
constexpr std::size_t kStaticArea = 512 * 1024;
constexpr std::size_t kDynamicArea = 512 * 1024;
constexpr std::size_t kRegion = 3 * kGuard + kStaticArea + kDynamicArea;
constexpr std::size_t kGap = 64;
constexpr std::size_t kDynamicAlignment = 128;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::string overrun(const char* what, const CanaryDamage& damage, bool after) {
  return std::to_string(damage.bytes) + " bytes written " +
         (after ? "after the end of " : "before ") + what;
}

}  // namespace

Arena::Arena() {
  void* memory =
      mmap(nullptr, kRegion, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw EnvironmentError("no memory for a block's shared memory");
  region_ = static_cast<std::byte*>(memory);
  mprotect(region_ + kGuard, kStaticArea, PROT_READ | PROT_WRITE);
  mprotect(region_ + 2 * kGuard + kStaticArea, kDynamicArea, PROT_READ | PROT_WRITE);
  forget_variables(region_, kRegion);
}

std::size_t Arena::bytes() const { return kRegion; }

void Arena::add_shadow() { shadow_ = race::ShadowRange(region_, kRegion, 4); }

Arena::~Arena() { munmap(region_, kRegion); }

void Arena::begin_launch(const Limits& limits, std::size_t dynamic_bytes, unsigned char poison) {
  limits_ = limits;
  poison_ = poison;
  error_.clear();
  slots_.clear();
  static_bytes_ = 0;
  next_ = region_ + kGuard;
  dynamic_bytes_ = dynamic_bytes;
  // The canary behind it is shorter than 144 bytes; the page after that is inaccessible.
  dynamic_ = region_ + kRegion - kGuard - round_up(dynamic_bytes + 16, kDynamicAlignment);
  write_canary(dynamic_ - kGap, kGap);
  write_canary(dynamic_ + dynamic_bytes, dynamic_tail());
}

/// Bytes between dynamic shared memory and the inaccessible page.
std::size_t Arena::dynamic_tail() const {
  return static_cast<std::size_t>(region_ + kRegion - kGuard - dynamic_) - dynamic_bytes_;
}

void Arena::begin_block() {
  for (const auto& slot : slots_) std::memset(slot.data, poison_, slot.tag->bytes);
  if (dynamic_bytes_ > 0) std::memset(dynamic_, poison_, dynamic_bytes_);
}

void* Arena::add_slot(const SharedTag& tag) {
  static_bytes_ = round_up(static_bytes_, tag.alignment) + tag.bytes;
  if (static_bytes_ > limits_.statically) {
    error_ = std::to_string(static_bytes_) + " bytes of static shared memory, limit " +
             std::to_string(limits_.statically);
    return nullptr;
  }
  if (static_bytes_ + dynamic_bytes_ > limits_.together) {
    error_ = std::to_string(static_bytes_) + " bytes of static and " +
             std::to_string(dynamic_bytes_) + " bytes of dynamic shared memory, limit " +
             std::to_string(limits_.together);
    return nullptr;
  }
  const std::size_t alignment = tag.alignment < 16 ? 16 : tag.alignment;
  const auto begin = reinterpret_cast<std::uintptr_t>(next_);
  std::byte* data = next_ + (round_up(begin + kGap, alignment) - begin);
  std::byte* after = data + round_up(tag.bytes, 16) + kGap;
  if (after > region_ + kGuard + kStaticArea) {
    error_ = "more shared arrays than the emulator holds (" + std::to_string(slots_.size()) + ")";
    return nullptr;
  }
  write_canary(next_, static_cast<std::size_t>(data - next_));
  write_canary(data + tag.bytes, static_cast<std::size_t>(after - data) - tag.bytes);
  std::memset(data, poison_, tag.bytes);
  next_ = after;
  slots_.push_back({&tag, data});
  return data;
}

bool Arena::intact() const {
  for (const auto& slot : slots_)
    if (!is_canary(slot.data - kGap, kGap) || !is_canary(slot.data + slot.tag->bytes, kGap))
      return false;
  return dynamic_bytes_ == 0 ||
         (is_canary(dynamic_ - kGap, kGap) && is_canary(dynamic_ + dynamic_bytes_, dynamic_tail()));
}

std::string Arena::damage() const {
  for (const auto& slot : slots_) {
    const std::string name = std::string("shared array \"") + slot.tag->name + "\" (" +
                             std::to_string(slot.tag->bytes) + " bytes)";
    const auto before = check_canary(slot.data - kGap, kGap);
    if (before.bytes > 0) return overrun(name.c_str(), before, false);
    const auto after = check_canary(slot.data + slot.tag->bytes, kGap);
    if (after.bytes > 0) return overrun(name.c_str(), after, true);
  }
  const std::string name = "dynamic shared memory (" + std::to_string(dynamic_bytes_) + " bytes)";
  const auto before = check_canary(dynamic_ - kGap, kGap);
  if (before.bytes > 0) return overrun(name.c_str(), before, false);
  const auto after = check_canary(dynamic_ + dynamic_bytes_, dynamic_tail());
  if (after.bytes > 0) return overrun(name.c_str(), after, true);
  return {};
}

bool Arena::contains(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= region_ && byte < region_ + kRegion;
}

std::string Arena::describe(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  const auto text = [&](const std::byte* data, const std::string& what, std::size_t bytes) {
    return "byte " + std::to_string(byte - data) + " of " + what + " (" + std::to_string(bytes) +
           " bytes)";
  };
  if (byte >= region_ + kGuard + kStaticArea + kGuard / 2)
    return text(dynamic_, "dynamic shared memory", dynamic_bytes_);
  const Slot* nearest = nullptr;
  for (const auto& slot : slots_)
    if (nearest == nullptr || slot.data <= byte) nearest = &slot;
  if (nearest == nullptr) return "the start of a block's static shared memory";
  return text(nearest->data, std::string("shared array \"") + nearest->tag->name + '"',
              nearest->tag->bytes);
}

}  // namespace wm::emu
