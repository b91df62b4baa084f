#include "ops/embedding.hpp"

#include <algorithm>
#include <limits>

#include "core/text.hpp"
#include "ops/conv.hpp"
#include "ops/softmax.hpp"

namespace wm {
namespace {

std::int64_t key_value(const Problem& problem, const std::string& key) {
  return parse_int(*find_value(problem.keys, key)).value();
}

Problem resized(const Problem& problem, const std::string& key, std::int64_t value) {
  return with_keys(problem, {{key, std::to_string(value)}});
}

/// The dimension of each tensor that counts the samples of `key`; none where all samples share it.
std::vector<std::optional<std::size_t>> sample_dims(const Problem& problem,
                                                    const std::string& key) {
  const Problem more = resized(problem, key, key_value(problem, key) + 1);
  std::vector<std::optional<std::size_t>> found;
  for (std::size_t t = 0; t < problem.tensors.size(); ++t) {
    const Dims &now = problem.tensors[t].dims, &then = more.tensors[t].dims;
    const auto at = std::mismatch(now.begin(), now.end(), then.begin()).first;
    found.emplace_back(at == now.end() ? std::nullopt
                                       : std::optional<std::size_t>(at - now.begin()));
  }
  return found;
}

/// `count` samples from `first` as those from `at` of a batch of `size`.
Embedding samples_among(const Problem& problem, const std::string& key, std::int64_t first,
                        std::int64_t count, std::int64_t size, std::int64_t at) {
  Embedding embedding{resized(problem, key, size), {}, {}, {}};
  embedding.change = key + "=" + std::to_string(size) + ", " +
                     (size == 1 ? "sample " + std::to_string(first) + " alone"
                                : "samples from " + std::to_string(at));
  const auto dims = sample_dims(problem, key);
  for (std::size_t t = 0; t < dims.size(); ++t) {
    const TensorDesc& desc = problem.tensors[t];
    SharedPart part{desc.name, Dims(desc.dims.size(), 0), Dims(desc.dims.size(), 0), desc.dims};
    if (dims[t]) {
      part.from[*dims[t]] = first;
      part.to[*dims[t]] = at;
      part.dims[*dims[t]] = count;
    }
    embedding.parts.push_back(std::move(part));
  }
  return embedding;
}

void add_batches(const Problem& problem, const std::string& key, std::vector<Embedding>& list) {
  const std::int64_t count = key_value(problem, key);
  if (count > 1) {
    list.push_back(samples_among(problem, key, 0, 1, 1, 0));
    list.push_back(samples_among(problem, key, count - 1, 1, 1, 0));
  }
  list.push_back(samples_among(problem, key, 0, count, count + 1, 1));
  list.push_back(samples_among(problem, key, 0, count, 2 * count + 3, count + 1));
}

/// Parts that begin at index 0, or `begin` of the last dimensions where a tensor has grown.
void share_all(const Problem& problem, const Dims& begin, Embedding& embedding) {
  for (std::size_t t = 0; t < problem.tensors.size(); ++t) {
    const TensorDesc& desc = problem.tensors[t];
    SharedPart part{desc.name, Dims(desc.dims.size(), 0), Dims(desc.dims.size(), 0), desc.dims};
    if (desc.dims != embedding.problem.tensors[t].dims)
      std::copy(begin.begin(), begin.end(),
                part.to.end() - static_cast<Dims::difference_type>(begin.size()));
    embedding.parts.push_back(std::move(part));
  }
}

/// Zeros written around x (dx), and no padding left to the kernel.
Embeddings pad_convolution(const Problem& problem) {
  static constexpr std::array<const char*, 3> kNames{"d", "h", "w"};
  const auto& conv = problem.as<ConvProblem>();
  if (conv.pad_begin == conv.pad_end && conv.pad_begin == decltype(conv.pad_begin){})
    return {{}, "the problem has no padding"};
  KeyValues changes{{"pad", "0"}};
  Dims begin;
  for (std::size_t dim = 3 - static_cast<std::size_t>(conv.rank); dim < 3; ++dim) {
    changes.emplace_back(kNames[dim],
                         std::to_string(conv.in[dim] + conv.pad_begin[dim] + conv.pad_end[dim]));
    begin.push_back(conv.pad_begin[dim]);
  }
  Problem bare = problem;
  std::erase_if(bare.keys, [](const auto& key) { return key.first.starts_with("pad"); });
  Embedding embedding{with_keys(bare, changes), "padding written out as zeros", {}, 0.0};
  share_all(problem, begin, embedding);
  return {{std::move(embedding)}, {}};
}

/// More channels that weigh nothing. Backward they need y = 0, which log softmax does not have.
Embeddings pad_softmax(const Problem& problem) {
  constexpr std::int64_t kMore = 5;
  const auto& softmax = problem.as<SoftmaxProblem>();
  if (softmax.backward && softmax.kind == SoftmaxKind::log)
    return {{}, "log softmax backward has no value of y that weighs nothing"};
  const double nothing = softmax.backward ? 0 : -std::numeric_limits<double>::infinity();
  const std::string c = std::to_string(softmax.c + kMore);
  Embedding embedding{
      with_keys(problem, {{"c", c}}), "c=" + c + ", the rest weighs nothing", {}, nothing};
  share_all(problem, {}, embedding);
  return {{std::move(embedding)}, {}};
}

}  // namespace

Problem with_keys(const Problem& problem, const KeyValues& changes) {
  KeyValues keys = problem.keys;
  for (const auto& change : changes) {
    const auto at = std::find_if(keys.begin(), keys.end(),
                                 [&](const auto& key) { return key.first == change.first; });
    if (at == keys.end())
      keys.push_back(change);
    else
      at->second = change.second;
  }
  return problem.op->resolve(keys);
}

SampleKeys sample_keys(const Op& op) {
  if (op.name == "conv_bwd_filter") return {{}, "no samples: the op sums over the batch"};
  if (op.family == "matmul") return {{"m", "batch"}, {}};
  if (op.family == "conv" || op.family == "softmax" || op.family == "activation")
    return {{"n"}, {}};
  return {{}, "no samples known for op " + op.name};
}

Embeddings batch_embeddings(const Problem& problem) {
  const SampleKeys samples = sample_keys(*problem.op);
  Embeddings embeddings{{}, samples.why_not};
  if (problem.empty_output()) return {{}, "the outputs are empty"};
  for (const std::string& key : samples.keys) add_batches(problem, key, embeddings.list);
  return embeddings;
}

Embeddings padding_embeddings(const Problem& problem) {
  if (problem.empty_output()) return {{}, "the outputs are empty"};
  if (problem.op->family == "conv") return pad_convolution(problem);
  if (problem.op->family == "softmax") return pad_softmax(problem);
  return {{}, "the op has nothing to pad"};
}

}  // namespace wm
