#pragma once
// Problems that share samples with another one: a sample alone, the same samples among more, the
// same data inside explicit padding. What an algorithm computes for the shared part may not depend
// on the rest where it claims batch invariance.
#include <optional>
#include <string>
#include <vector>

#include "ops/op.hpp"

namespace wm {

/// A box of one tensor: `dims` elements from index `from` of the problem are those from index `to`
/// of the other problem.
struct SharedPart {
  std::string tensor;
  Dims from, to, dims;
};

struct Embedding {
  Problem problem;                     ///< the other problem, in its layout's packed strides
  std::string change;                  ///< "m=37, rows from 18"
  std::vector<SharedPart> parts;       ///< one a tensor, in the order of the problem's tensors
  std::optional<double> surroundings;  ///< what inputs hold around the parts; none: anything
};

struct Embeddings {
  std::vector<Embedding> list;
  std::string why_not;  ///< why the list is empty
};

/// Keys whose indices are independent samples of the op (n; m and batch of a matmul), or why there
/// are none.
struct SampleKeys {
  std::vector<std::string> keys;
  std::string why_not;
};
SampleKeys sample_keys(const Op& op);

/// For each of these keys: the first and the last sample alone, all samples shifted by one in a
/// batch of one more, and all of them in the middle of a batch more than twice as large.
Embeddings batch_embeddings(const Problem& problem);

/// The same data with its padding written out (convolutions) or with more elements that must not
/// count (-inf in a softmax).
Embeddings padding_embeddings(const Problem& problem);

/// `problem` with some keys replaced, in packed strides. Throws UsageError as Op::resolve.
Problem with_keys(const Problem& problem, const KeyValues& changes);

}  // namespace wm
