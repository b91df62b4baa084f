#include "emu/names.hpp"

#include <cstdio>
#include <string_view>

namespace wm::emu {

std::string operation_name(WarpOp op) {
  switch (op) {
    case WarpOp::sync:
      return "__syncwarp";
    case WarpOp::ballot:
      return "__ballot_sync";
    case WarpOp::shfl:
      return "__shfl_sync";
    case WarpOp::shfl_up:
      return "__shfl_up_sync";
    case WarpOp::shfl_down:
      return "__shfl_down_sync";
    case WarpOp::shfl_xor:
      return "__shfl_xor_sync";
    case WarpOp::mma:
      return "mma.sync";
    case WarpOp::ldmatrix:
      return "ldmatrix";
  }
  return "warp operation";
}

std::string operation_name(BarrierOp op) {
  switch (op) {
    case BarrierOp::sync:
      return "__syncthreads";
    case BarrierOp::count:
      return "__syncthreads_count";
    case BarrierOp::all:
      return "__syncthreads_and";
    case BarrierOp::any:
      return "__syncthreads_or";
  }
  return "barrier";
}

std::string hex(unsigned mask) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", mask);
  return text;
}

std::string lanes_text(unsigned mask) {
  Ranges ranges;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) ranges.add(lane);
  return (ranges.single() ? "lane " : "lanes ") + ranges.text();
}

std::string site_text(Site site) {
  if (site.file == nullptr) return {};
  const std::string_view path = site.file;
  const auto slash = path.rfind('/');
  const auto name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return std::string(name) + ':' + std::to_string(site.line);
}

std::string index_text(const uint3& index) {
  return '(' + std::to_string(index.x) + ',' + std::to_string(index.y) + ',' +
         std::to_string(index.z) + ')';
}

void Ranges::add(unsigned number) {
  if (count_++ != 0 && number == last_ + 1) {
    last_ = number;
    return;
  }
  if (count_ > 1) done_ = text() + ", ";
  first_ = last_ = number;
}

std::string Ranges::text() const {
  if (count_ == 0) return {};
  return done_ + std::to_string(first_) + (last_ == first_ ? "" : '-' + std::to_string(last_));
}

}  // namespace wm::emu
