#include "selfcheck/faults.hpp"

namespace wm::selfcheck {
namespace {

constexpr const char* kProduct = "matmul m=40 n=36 k=64";
/// Sums that f16 holds exactly.
constexpr const char* kShortProduct = "matmul m=40 n=36 k=16";
constexpr const char* kRelu = "activation_fwd n=3 c=5 h=7 w=9 fn=relu";
constexpr const char* kPadded = "conv_fwd n=2 c=3 h=6 w=7 k=4 r=3 s=3 pad=1";

Fault corruption(const char* name, Corruption kind) {
  Fault fault;
  fault.name = name;
  fault.problem = kProduct;
  fault.corruption = kind;
  fault.exact_gate = "indexing";
  fault.normal_gate = "precision";
  return fault;
}

Fault kernel(const char* name, const char* problem, const char* algorithm, const char* exact_gate,
             const char* normal_gate, const char* why_blind = "") {
  Fault fault;
  fault.name = name;
  fault.problem = problem;
  fault.algorithm = algorithm;
  fault.exact_gate = exact_gate;
  fault.normal_gate = normal_gate;
  fault.why_blind = why_blind;
  return fault;
}

Fault audited(Fault fault) {
  fault.audit = true;
  return fault;
}

Fault raced(Fault fault) {
  fault.race = true;
  return fault;
}

std::vector<Fault> make_faults() {
  return {
      corruption("one element off by just over its bound", Corruption::just_outside),
      corruption("one lost term", Corruption::lost_term),
      corruption("one swapped index", Corruption::swapped_index),
      corruption("one tile of zeros", Corruption::zero_tile),
      corruption("all zeros", Corruption::all_zero),
      corruption("stale output", Corruption::stale),
      corruption("NaN for a finite value", Corruption::nan),
      kernel("f16 accumulation behind an f32 claim", kShortProduct, "f16_accumulation", "",
             "precision", "small integers and their sums are exact in f16"),
      kernel("TF32 behind an f32 claim", kShortProduct, "tf32_products", "", "precision",
             "small integers are exact in TF32"),
      kernel("dropped tail", kRelu, "lost_tail", "indexing", "precision"),
      kernel("off-by-one in padding", kPadded, "padding_off_by_one", "indexing", "precision"),
      kernel("missing barrier", kRelu, "missing_barrier", "indexing", "precision"),
      raced(kernel("missing barrier (emu-race)", kRelu, "missing_barrier", "race", "race")),
      kernel("write past the end", kRelu, "write_past_end", "fault", "fault"),
      kernel("misaligned vector access", kRelu, "misaligned_vector", "fault", "fault"),
      kernel("read of uninitialised workspace", kProduct, "uninitialised_workspace", "", "poison",
             "the next integer added swallows what the word brings in"),
      kernel("atomic order change behind a deterministic claim", kProduct, "hidden_atomic", "",
             "schedule", "sums of integers are the same in any order"),
      audited(kernel("batch-dependent choice behind a batch-invariant claim", kProduct,
                     "batch_dependent_tile", "", "batch",
                     "sums of integers are the same in any order")),
  };
}

}  // namespace

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = make_faults();
  return all;
}

}  // namespace wm::selfcheck
