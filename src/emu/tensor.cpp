// Matrix operations of a warp, performed by the last lane to arrive, and asynchronous copies.
#include "emu/count/counter.hpp"
#include "emu/mma_models.hpp"
#include "emu/names.hpp"
#include "emu/switching.hpp"
#include "emu/tensor_runtime.hpp"
#include "gpu/fragments.hpp"

namespace wm::emu {
namespace {

constexpr unsigned kAllLanes = 0xffffffffU;

template <class T>
const T& lane_of(const std::array<std::uint64_t, 32>& values, unsigned lane) {
  return *reinterpret_cast<const T*>(values[lane]);
}

template <int kBytes, int kDepth>
void gather(const std::array<std::uint64_t, 32>& lanes, MmaMatrices& m) {
  constexpr const auto& map = kFragments<kBytes, kDepth>;
  constexpr int per_register = 4 / kBytes;
  const auto element = [](const std::uint32_t* registers, int i) {
    if constexpr (kBytes == 4) return registers[i];
    constexpr std::uint32_t mask = kBytes == 2 ? 0xffffU : 0xffU;
    return registers[i / per_register] >> (8 * kBytes * (i % per_register)) & mask;
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto& own = lane_of<MmaLane>(lanes, lane);
    for (int i = 0; i < static_cast<int>(map.a[lane].size()); ++i)
      m.a[map.a[lane][i].row][map.a[lane][i].col] = element(own.a, i);
    for (int i = 0; i < static_cast<int>(map.b[lane].size()); ++i)
      m.b[map.b[lane][i].row][map.b[lane][i].col] = element(own.b, i);
  }
}

void gather_operands(const std::array<std::uint64_t, 32>& lanes, MmaOperand operand,
                     MmaMatrices& m) {
  switch (operand) {
    case MmaOperand::tf32:
      return gather<4, 8>(lanes, m);
    case MmaOperand::f16:
    case MmaOperand::bf16:
      return m.depth == 8 ? gather<2, 8>(lanes, m) : gather<2, 16>(lanes, m);
    case MmaOperand::s8:
    case MmaOperand::e4m3:
    case MmaOperand::e5m2:
      return m.depth == 16 ? gather<1, 16>(lanes, m) : gather<1, 32>(lanes, m);
  }
}

std::string shape_text(const MmaLane& lane) {
  return "m16n8k" + std::to_string(lane.depth) + " of " + std::string(name_of(lane.operand));
}

}  // namespace

void Machine::multiply(const Warp& warp, Site site) {
  const auto& first = lane_of<MmaLane>(warp.value, 0);
  for (unsigned lane = 1; lane < 32; ++lane) {
    const auto& own = lane_of<MmaLane>(warp.value, lane);
    if (own.operand != first.operand || own.depth != first.depth)
      fail([&] {
        return thread_message("mma.sync of different kinds in one warp", site,
                              "lane 0 " + shape_text(first) + ", lane " + std::to_string(lane) +
                                  " " + shape_text(own));
      });
  }
  const MmaModel& model = *grid_->mma_model;
  if (!has_mma(model, first.operand))
    fail([&] {
      return thread_message("mma.sync " + shape_text(first) + ": the tensor-core model \"" +
                                std::string(model.name) + "\" has none",
                            site, "");
    });
  MmaMatrices matrices;
  matrices.depth = first.depth;
  gather_operands(warp.value, first.operand, matrices);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const Coordinate at = kAccumulatorFragment[lane][i];
      matrices.c[at.row][at.col] = lane_of<MmaLane>(warp.value, lane).c[i];
    }
  multiply_accumulate(model, first.operand, matrices);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const Coordinate at = kAccumulatorFragment[lane][i];
      lane_of<MmaLane>(warp.value, lane).c[i] = matrices.c[at.row][at.col];
    }
}

void Machine::load_matrices(const Warp& warp, Site site) {
  const auto& first = lane_of<MatrixLoadLane>(warp.value, 0);
  for (unsigned lane = 1; lane < 32; ++lane) {
    const auto& own = lane_of<MatrixLoadLane>(warp.value, lane);
    if (own.count != first.count || own.transposed != first.transposed)
      fail([&] { return thread_message("ldmatrix of different kinds in one warp", site, ""); });
  }
  if (counter_ != nullptr) {
    std::array<std::uint64_t, 32> rows{};
    for (unsigned lane = 0; lane < 8 * static_cast<unsigned>(first.count); ++lane)
      rows[lane] = reinterpret_cast<std::uintptr_t>(lane_of<MatrixLoadLane>(warp.value, lane).row);
    counter_->load_matrices(rows, static_cast<unsigned>(first.count));
  }
  const auto& map = first.transposed ? kLoadTransposedFragment : kLoadFragment;
  for (int matrix = 0; matrix < first.count; ++matrix)
    for (unsigned lane = 0; lane < 32; ++lane) {
      std::uint32_t value = 0;
      for (unsigned i = 0; i < 2; ++i) {
        const Coordinate at = map[lane][i];
        const auto row = 8 * static_cast<unsigned>(matrix) + at.row;
        const auto* elements =
            static_cast<const std::uint16_t*>(lane_of<MatrixLoadLane>(warp.value, row).row);
        value |= std::uint32_t{elements[at.col]} << (16 * i);
      }
      lane_of<MatrixLoadLane>(warp.value, lane).registers[matrix] = value;
    }
}

void Machine::check_matrix_row(const MatrixLoadLane& own, Site site) {
  constexpr std::size_t kRowBytes = 16;
  if (lane() >= 8 * static_cast<unsigned>(own.count)) return;  // its address is not used
  if (reinterpret_cast<std::uintptr_t>(own.row) % kRowBytes != 0)
    fail_misaligned(own.row, kRowBytes, "ldmatrix row", site);
  if (!arena_.contains(own.row))
    fail([&] {
      return thread_message("ldmatrix row outside shared memory", site, describe(own.row));
    });
  if (race_ != nullptr) race_->read(own.row, kRowBytes, site);
}

void Machine::copy_async(void* shared, const void* global, unsigned bytes, unsigned read,
                         Site site) {
  if (reinterpret_cast<std::uintptr_t>(shared) % bytes != 0)
    fail_misaligned(shared, bytes, "cp.async write", site);
  if (reinterpret_cast<std::uintptr_t>(global) % bytes != 0)
    fail_misaligned(global, bytes, "cp.async read", site);
  if (!arena_.contains(shared))
    fail([&] {
      return thread_message("cp.async to an address outside shared memory", site, describe(shared));
    });
  if (read > bytes)
    fail([&] {
      return thread_message(
          "cp.async of " + std::to_string(bytes) + " bytes that reads " + std::to_string(read),
          site, "");
    });
  if (race_ != nullptr) race_->copy_begun(shared, bytes, global, read, site);
  if (counter_ != nullptr) counter_->copy(shared, global, bytes, read, site);
  copies_.begin(linear(threadIdx), shared, global, bytes, read, grid_->poison);
}

void warp_mma(const MmaLane& lane, Site site) {
  current_machine->collective(WarpOp::mma, kAllLanes, reinterpret_cast<std::uintptr_t>(&lane), 0,
                              site);
}
void warp_load_matrix(const MatrixLoadLane& lane, Site site) {
  current_machine->check_matrix_row(lane, site);
  current_machine->collective(WarpOp::ldmatrix, kAllLanes, reinterpret_cast<std::uintptr_t>(&lane),
                              0, site);
}
void copy_async(void* shared, const void* global, unsigned bytes, unsigned read, Site site) {
  current_machine->copy_async(shared, global, bytes, read, site);
}
void commit_copies() { current_machine->commit_copies(); }
void wait_copies(unsigned left) { current_machine->wait_copies(left); }

}  // namespace wm::emu
