#pragma once
// A warp's share of rows, held in registers: 4, 8, 16 or 32 lanes a row, each with up to kValues
// elements. Shared by softmax/warp_row and softmax/warp_row_bwd.
#include "kernels/softmax/parts/rows.cuh"

namespace wm::WM_FLAVOUR {

inline constexpr int kWarpsPerBlock = 4;
inline constexpr int kFewValues = 8;
/// As many as fit into registers with their addresses: an f64 value takes two.
template <class T>
inline constexpr int kManyValues = sizeof(T) == 8 ? 16 : 32;

/// Calls fn(values[j]) for all j in ascending order, keeping what it writes. A loop over groups of
/// kFewValues that is not unrolled keeps the code short: each turn handles the first group of the
/// registers, then rotates, so that no register is indexed at run time.
template <class Acc, int kValues, class Fn>
__device__ inline void for_each_value(Acc (&values)[kValues], Fn&& fn) {
  WM_NO_UNROLL
  for (int group = 0; group < kValues; group += kFewValues) {
    WM_UNROLL
    for (int j = 0; j < kFewValues; ++j) fn(values[j]);
    if constexpr (kValues > kFewValues) {
      Acc first[kFewValues];
      WM_UNROLL
      for (int j = 0; j < kFewValues; ++j) first[j] = values[j];
      WM_UNROLL
      for (int j = kFewValues; j < kValues; ++j) values[j - kFewValues] = values[j];
      WM_UNROLL
      for (int j = 0; j < kFewValues; ++j) values[kValues - kFewValues + j] = first[j];
    }
  }
}

/// The place of a thread: its row and its lane among the row's lanes.
struct WarpPlace {
  unsigned row = 0;
  unsigned lane = 0;
  int first_offset = 0;  ///< of the butterfly over the row's lanes
  int last_offset = 0;

  __device__ WarpPlace(unsigned lanes, bool rows_fastest) {
    const unsigned in_warp = threadIdx.x % kWarpSize;
    const unsigned warp = blockIdx.x * kWarpsPerBlock + threadIdx.x / kWarpSize;
    const unsigned rows = kWarpSize / lanes;
    // Neighbouring lanes follow memory: elements of a row, or rows.
    row = warp * rows + (rows_fastest ? in_warp % rows : in_warp / lanes);
    lane = rows_fastest ? in_warp / rows : in_warp % lanes;
    last_offset = rows_fastest ? static_cast<int>(rows) : 1;
    first_offset = static_cast<int>(lanes / 2) * last_offset;
  }

  /// Butterflies over the row's lanes; all lanes of the warp take part.
  template <class Acc>
  __device__ Acc sum(Acc x) const {
    for (int offset = first_offset; offset >= last_offset; offset /= 2)
      x = x + __shfl_xor_sync(kFullMask, x, offset);
    return x;
  }
  template <class Acc>
  __device__ Acc largest(Acc x) const {
    for (int offset = first_offset; offset >= last_offset; offset /= 2)
      x = wm::fmax(x, __shfl_xor_sync(kFullMask, x, offset));
    return x;
  }
};

/// A lane's elements of its row: pieces of kPiece elements along memory, or single elements `lanes`
/// apart where lanes lie across rows.
template <class T, int kTensors, int kValues>
class LaneValues {
 public:
  using Acc = acc_t<T>;
  __device__ LaneValues(const Rows<T, kTensors>& rows, const WarpPlace& place, unsigned lanes)
      : rows_(rows),
        row_(rows, place.row < rows.rows ? place.row : 0),
        lanes_(lanes),
        lane_(place.lane),
        length_(place.row < rows.rows ? rows.length : 0) {}

  __device__ void load(int tensor, Acc (&values)[kValues], Acc fill) const {
    if (rows_.rows_fastest) {
      WM_UNROLL
      for (int j = 0; j < kValues; ++j) {
        const unsigned i = lane_ + static_cast<unsigned>(j) * lanes_;
        values[j] = i < length_ ? row_.load(tensor, i) : fill;
      }
      return;
    }
    WM_UNROLL
    for (int j = 0; j < kValues; j += kPiece<T>) {
      const unsigned first = piece_start(j);
      if (first < length_) {
        row_.load_piece(tensor, first, values + j, fill);
      } else {
        WM_UNROLL
        for (int v = 0; v < kPiece<T>; ++v) values[j + v] = fill;
      }
    }
  }
  __device__ void store(int tensor, const Acc (&values)[kValues]) const {
    if (rows_.rows_fastest) {
      WM_UNROLL
      for (int j = 0; j < kValues; ++j) {
        const unsigned i = lane_ + static_cast<unsigned>(j) * lanes_;
        if (i < length_) row_.store(tensor, i, values[j]);
      }
      return;
    }
    WM_UNROLL
    for (int j = 0; j < kValues; j += kPiece<T>) {
      const unsigned first = piece_start(j);
      if (first < length_) row_.store_piece(tensor, first, values + j);
    }
  }

 private:
  __device__ unsigned piece_start(int j) const {
    return (static_cast<unsigned>(j / kPiece<T>) * lanes_ + lane_) * kPiece<T>;
  }

  const Rows<T, kTensors>& rows_;
  Row<T, kTensors> row_;
  unsigned lanes_, lane_, length_;
};

/// Elements of the fullest lane.
template <class T>
std::int64_t fullest_lane(std::int64_t length, std::int64_t lanes, bool across_rows) {
  if (across_rows) return wm::ceil_div(length, lanes);
  constexpr std::int64_t piece = kPiece<T>;
  const std::int64_t before = wm::ceil_div(wm::ceil_div(length, piece), lanes) - 1;
  return before * piece + wm::min(piece, length - before * lanes * piece);
}
/// Registers a lane needs: whole pieces.
template <class T>
std::int64_t lane_values(std::int64_t length, std::int64_t lanes, bool across_rows) {
  if (across_rows) return wm::ceil_div(length, lanes);
  constexpr std::int64_t piece = kPiece<T>;
  return wm::ceil_div(wm::ceil_div(length, piece), lanes) * piece;
}

inline bool across_rows(const Problem& problem) {
  return rows_fastest(problem.as<SoftmaxProblem>(), problem.tensors.front());
}

inline constexpr std::int64_t kLanes[] = {4, 8, 16, 32};

/// Lanes across rows: as few a row as hold it, so that the warp reads whole sectors of neighbouring
/// rows. Lanes along a row: the fewest that need few registers.
template <class T>
Config configure_warp_row(const Problem& problem, const DeviceProps&) {
  const std::int64_t length = problem.as<SoftmaxProblem>().length();
  const bool across = across_rows(problem);
  const std::int64_t wanted = across ? kManyValues<T> : kFewValues;
  for (const std::int64_t lanes : kLanes) {
    if (lane_values<T>(length, lanes, across) <= wanted) return Config().set("lanes", lanes);
  }
  return Config().set("lanes", std::int64_t{kWarpSize});
}

template <class T>
void check_warp_row(const Problem& problem, const Config& config) {
  check_config_items(config, {"lanes"});
  const std::int64_t length = problem.as<SoftmaxProblem>().length();
  std::vector<std::string> allowed;
  for (const std::int64_t lanes : kLanes) {
    if (lane_values<T>(length, lanes, across_rows(problem)) <= kManyValues<T>)
      allowed.push_back(std::to_string(lanes));
  }
  check_config_item(config, "lanes", allowed);
}

template <class T>
Support support_warp_row(const Problem& problem, const DeviceProps&) {
  constexpr std::int64_t kLongest = kManyValues<T> * kWarpSize;
  const std::int64_t length = problem.as<SoftmaxProblem>().length();
  if (length > kLongest)
    return Support::no("rows of " + std::to_string(length) + " elements: at most " +
                       std::to_string(kLongest));
  return softmax_support(problem);
}

/// The fullest lane's additions and a butterfly over the row's lanes.
template <class T>
Claims warp_row_claims(const Problem& problem, const Config& config) {
  const auto& p = problem.as<SoftmaxProblem>();
  const std::int64_t lanes = config.integer("lanes");
  double height = thread_height(p, fullest_lane<T>(p.length(), lanes, across_rows(problem)));
  for (std::int64_t width = lanes; width > 1; width /= 2) height += 1;
  return softmax_claims<T>(height);
}

inline LaunchShape warp_row_shape(const SoftmaxProblem& p, std::int64_t lanes) {
  const std::int64_t rows_per_block = kWarpsPerBlock * kWarpSize / lanes;
  return {.grid = dim3(static_cast<unsigned>(wm::ceil_div(p.rows(), rows_per_block))),
          .block = dim3(kWarpsPerBlock * kWarpSize)};
}

/// All but the launch of softmax_fwd/warp_row and softmax_bwd/warp_row.
template <class T>
Variant warp_row_variant(const char* op, Layout layout, const char* summary) {
  Variant variant;
  variant.id = variant_id<T>(op, "warp_row", layout);
  variant.summary = summary;
  variant.supports = support_warp_row<T>;
  variant.configure = configure_warp_row<T>;
  variant.check_config = check_warp_row<T>;
  variant.claims = warp_row_claims<T>;
  return variant;
}

}  // namespace wm::WM_FLAVOUR
