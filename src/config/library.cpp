#include "config/library.hpp"

#include <string_view>

#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

struct LibraryProblem {
  std::string_view ops;  ///< a name, or a glob
  const char* keys;
  bool covering;
};

// Odd sizes leave a tail in every tile and vector; long sums are split; aligned sizes take the wide
// accesses; atomics need many outputs before their order shows in 16 bits. Extents are the smallest
// that do so: the emulator runs them.
constexpr LibraryProblem kProblems[] = {
    {"matmul", "m=17 n=33 k=19", true},
    {"matmul", "m=16 n=24 k=1200", true},
    {"matmul", "m=128 n=192 k=800 algo=*atomic*", false},
    {"matmul", "m=64 n=64 k=64", false},
    {"matmul", "batch=3 m=5 n=40 k=32 transpose_a=1 transpose_b=1 epilogue=bias_relu", false},
    {"matmul", "m=1 n=40 k=130 alpha=0.5 beta=2", false},
    {"conv_*", "n=2 c=5 h=9 w=7 k=6 r=3 s=3 pad=1 stride=2", true},
    {"conv_bwd_data", "n=2 c=4 h=8 w=9 k=24 r=3 s=3 pad=1", true},
    {"conv_bwd_filter", "n=2 c=3 h=32 w=31 k=4 r=3 s=3 pad=1", true},
    {"conv_bwd_data", "n=4 c=32 h=24 w=25 k=24 r=3 s=3 pad=1 algo=*atomic*", false},
    {"conv_bwd_filter", "n=3 c=64 h=24 w=25 k=64 r=3 s=3 pad=1 algo=*atomic*", false},
    {"conv_*", "n=1 c=16 h=8 w=8 k=32 r=1 s=1", false},
    {"conv_*", "n=1 c=4 h=8 w=9 k=6 groups=2 r=3 s=2 pad_begin_h=1 pad_end_h=2 dil=2x1", false},
    {"conv_*", "n=3 c=4 w=17 k=5 s=4 pad=2", false},
    {"conv_*", "n=1 c=2 d=4 h=5 w=6 k=3 t=2 r=3 s=3 pad=1", false},
    {"softmax_*", "n=3 c=17 h=2 w=3", true},
    {"softmax_*", "n=4 c=256", true},
    {"softmax_*", "n=2 c=128 kind=log", false},
    {"softmax_*", "n=3 c=6 h=5 w=4 mode=instance", false},
    {"softmax_fwd", "n=2 c=1500 kind=fast", false},
    {"activation_*", "n=1 c=3 h=1 w=11 fn=relu", false},
    {"activation_*", "n=2 c=3 h=5 w=7 fn=tanh", true},
    {"activation_*", "n=2 c=8 h=4 w=4 fn=gelu", false},
};

}  // namespace

LibrarySize parse_library_size(const std::string& word) {
  if (word == "covering") return LibrarySize::covering;
  if (word == "all") return LibrarySize::all;
  throw UsageError(unknown_message("--library", word, {"covering", "all"}));
}

std::vector<std::string> library_cases(const std::vector<LibraryTypes>& types, LibrarySize size) {
  std::vector<std::string> cases;
  for (const LibraryTypes& each : types) {
    for (const LibraryProblem& problem : kProblems) {
      if (!glob_match(problem.ops, each.op->name)) continue;
      if (size == LibrarySize::covering && !problem.covering) continue;
      const std::string text = each.op->name + " " + problem.keys + " " + each.types + " recipe=";
      cases.push_back(text + "exact");
      cases.push_back(text + "normal");
    }
  }
  return cases;
}

std::string library_problem(const Op& op) {
  for (const LibraryProblem& problem : kProblems)
    if (glob_match(problem.ops, op.name)) return op.name + " " + problem.keys;
  return "";
}

}  // namespace wm
