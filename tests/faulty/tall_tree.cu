// Planted fault: a chain of products behind the claim of a pairwise sum.
#include <cmath>

#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<rotated_matmul_kernel>(matmul_shape(a), args.stream, a, 0);
}

}  // namespace

void register_faulty_tall_tree(Catalog& catalog) {
  Variant variant = faulty_matmul("faulty_tall_tree",
                                  "a chain of products behind the claim of a pairwise sum", &run);
  variant.claims = [](const Problem& problem, const Config&) {
    Claims claims;
    const auto k = static_cast<double>(problem.as<MatmulProblem>().k);
    claims.tree_height = 1 + std::ceil(std::log2(std::max(k, 1.0)));
    return claims;
  };
  catalog.add(std::move(variant));
}

}  // namespace wm::WM_FLAVOUR
