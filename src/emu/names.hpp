#pragma once
// Pieces of the emulator's reports.
#include <string>

#include "emu/runtime.hpp"

namespace wm::emu {

std::string operation_name(WarpOp op);
std::string operation_name(BarrierOp op);
std::string hex(unsigned mask);
/// "lanes 0-3, 8"
std::string lanes_text(unsigned mask);
/// "conv.cu:88"
std::string site_text(Site site);
/// "(1,0,0)"
std::string index_text(const uint3& index);

/// Collects ascending numbers as "0-15, 32".
class Ranges {
 public:
  void add(unsigned number);
  std::string text() const;
  bool single() const { return count_ == 1; }

 private:
  std::string done_;
  unsigned first_ = 0, last_ = 0, count_ = 0;
};

}  // namespace wm::emu
