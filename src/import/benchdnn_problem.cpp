// Problem strings of benchdnn.
#include <algorithm>
#include <array>
#include <limits>

#include "core/text.hpp"
#include "import/benchdnn.hpp"
#include "import/collector.hpp"

namespace wm::importing {
namespace {

constexpr std::int64_t kMax = std::int64_t{1} << 40;

/// Input, output, filter, stride, padding before, dilation - 1 of one dimension. 0 (padding: -1)
/// stands for "not given".
struct Axis {
  std::int64_t in = 0, out = 0, filter = 0, stride = 1, pad = -1, dilation = 0;
  bool given() const {
    return in != 0 || out != 0 || filter != 0 || dilation != 0 || stride != 1 || pad > 0;
  }
  std::int64_t reach() const { return (filter - 1) * (dilation + 1) + 1; }
};

struct ConvText {
  std::int64_t groups = 1, mb = 2, ic = 0, oc = 0;
  std::array<Axis, 3> axes;  // d h w
};

/// Field named by two letters, or by "g".
std::int64_t* field(ConvText& conv, std::string_view name) {
  if (name == "g") return &conv.groups;
  if (name == "mb") return &conv.mb;
  if (name == "ic") return &conv.ic;
  if (name == "oc") return &conv.oc;
  if (name.size() != 2) return nullptr;
  const std::size_t dim = std::string_view("dhw").find(name[1]);
  if (dim == std::string_view::npos) return nullptr;
  Axis& axis = conv.axes[dim];
  switch (name[0]) {
    case 'i':
      return &axis.in;
    case 'o':
      return &axis.out;
    case 'k':
      return &axis.filter;
    case 's':
      return &axis.stride;
    case 'p':
      return &axis.pad;
    case 'd':
      return &axis.dilation;
    default:
      return nullptr;
  }
}

std::size_t count_of(std::string_view text, bool digits) {
  return static_cast<std::size_t>(
      std::find_if(text.begin(), text.end(),
                   [&](char c) { return (c >= '0' && c <= '9') != digits; }) -
      text.begin());
}

ConvText parse_conv(std::string_view text) {
  ConvText conv;
  while (!text.empty()) {
    if (text.front() == '_') {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t letters = count_of(text, false);
    const std::string_view name = text.substr(0, letters);
    const std::size_t digits = count_of(text.substr(letters), true);
    const std::string value(text.substr(letters, digits));
    std::int64_t* target = field(conv, name);
    if (!target) throw UnreadProblem{"unknown field '" + std::string(name.substr(0, 20)) + "'"};
    const auto parsed = int_within(value, 0, kMax);
    if (!parsed) {
      throw UnreadProblem{"field " + std::string(name) + ": expected a number up to 2^40"};
    }
    *target = *parsed;
    text.remove_prefix(letters + digits);
  }
  return conv;
}

/// Output from padding, or padding from output (the smaller half before, the rest after).
void complete(Axis& axis, char dim) {
  const std::string name(1, dim);
  if (axis.in == 0 || axis.filter == 0) {
    throw UnreadProblem{"i" + name + " and k" + name + " must both be given"};
  }
  if (axis.stride == 0) throw UnreadProblem{"s" + name + "0: a stride is at least 1"};
  if (axis.filter > kMax / (axis.dilation + 1)) throw UnreadProblem{"filter too large"};
  if (axis.out == 0) {
    axis.pad = std::max<std::int64_t>(axis.pad, 0);
    const std::int64_t room = axis.in + 2 * axis.pad - axis.reach();
    if (room < 0) throw UnreadProblem{"output size below 1 in " + name};
    axis.out = room / axis.stride + 1;
  } else if (axis.pad < 0) {
    if (axis.out > kMax / axis.stride) throw UnreadProblem{"o" + name + " too large"};
    const std::int64_t twice = (axis.out - 1) * axis.stride - axis.in + axis.reach();
    if (twice < 0 && twice / 2 != 0) {
      throw UnreadProblem{"o" + name + std::to_string(axis.out) +
                          " is smaller than the input allows (negative padding)"};
    }
    axis.pad = std::max<std::int64_t>(twice, 0) / 2;
  }
}

/// Padding after: that before where it gives the stated output, else what is missing to it.
std::int64_t pad_end(const Axis& axis, char dim) {
  const auto out_with = [&](std::int64_t end) {
    const std::int64_t room = axis.in + axis.pad + end - axis.reach();
    return room < 0 ? 0 : room / axis.stride + 1;
  };
  if (out_with(axis.pad) == axis.out) return axis.pad;
  if (axis.out > kMax / axis.stride) throw UnreadProblem{"output too large"};
  const std::int64_t end = (axis.out - 1) * axis.stride + axis.reach() - axis.in - axis.pad;
  if (end >= 0) return end;
  if (out_with(0) == axis.out) return 0;
  throw UnreadProblem{std::string("o") + dim + std::to_string(axis.out) +
                      " is smaller than the input allows (negative padding at the end)"};
}

void add_axis(const Axis& axis, std::size_t dim, KeyValues& keys) {
  static const std::array<std::string, 3> in{"d", "h", "w"}, filter{"t", "r", "s"};
  keys.emplace_back(in[dim], std::to_string(axis.in));
  keys.emplace_back(filter[dim], std::to_string(axis.filter));
  keys.emplace_back("pad_begin_" + in[dim], std::to_string(axis.pad));
  keys.emplace_back("pad_end_" + in[dim], std::to_string(pad_end(axis, in[dim][0])));
  keys.emplace_back("stride_" + in[dim], std::to_string(axis.stride));
  keys.emplace_back("dil_" + in[dim], std::to_string(axis.dilation + 1));
}

std::int64_t product(const std::vector<std::int64_t>& dims, std::size_t from, std::size_t to) {
  std::int64_t result = 1;
  for (std::size_t i = from; i < to; ++i) {
    if (dims[i] != 0 && result > kMax / dims[i]) throw UnreadProblem{"more than 2^40 elements"};
    result *= dims[i];
  }
  return result;
}

struct MatmulText {
  std::vector<std::int64_t> a, b;
};

MatmulText parse_matmul(std::string_view text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) {
    throw UnreadProblem{"expected two operands, such as 64x128:128x256"};
  }
  MatmulText matmul{dims_descriptor(parts[0]), dims_descriptor(parts[1])};
  if (matmul.a.size() < 2 || matmul.a.size() != matmul.b.size()) {
    throw UnreadProblem{"the operands of a matmul need the same number of dimensions, 2 or more"};
  }
  return matmul;
}

}  // namespace

ProblemName split_name(std::string_view& text) {
  ProblemName result;
  std::size_t at = text.find("n\"");
  if (at == std::string_view::npos) {
    // Without quotes (a shell has taken them off) the name begins at the first n, which no field
    // has.
    at = text.find('n');
  }
  if (at == std::string_view::npos) return result;
  result.name = text.substr(at + 1);
  std::erase(result.name, '"');
  text = text.substr(0, at);
  while (text.ends_with('_')) text.remove_suffix(1);
  const std::size_t star = result.name.rfind('*');
  if (star == std::string::npos) return result;
  if (const auto count = int_within(result.name.substr(star + 1), 1, 1'000'000'000)) {
    result.count = *count;
    result.name.resize(star);
  }
  return result;
}

KeyValues conv_descriptor(std::string_view text, std::int64_t mb) {
  ConvText conv = parse_conv(text);
  if (conv.ic == 0 || conv.oc == 0) throw UnreadProblem{"ic and oc must be given"};
  if (conv.groups == 0) throw UnreadProblem{"g0: there is at least one group"};
  std::array<Axis, 3>& axes = conv.axes;
  const bool has_d = axes[0].given(), has_h = axes[1].given(), has_w = axes[2].given();
  if (!has_d && !has_h && !has_w) throw UnreadProblem{"no spatial sizes"};
  for (std::size_t dim = 0; dim < 3; ++dim) {
    if (axes[dim].given()) complete(axes[dim], "dhw"[dim]);
  }
  if (has_d && !has_h) axes[1] = axes[0];
  if ((has_d || has_h) && !has_w) axes[2] = axes[1];
  KeyValues keys{{"n", std::to_string(mb > 0 ? mb : conv.mb)},
                 {"c", std::to_string(conv.ic)},
                 {"k", std::to_string(conv.oc)},
                 {"groups", std::to_string(conv.groups)}};
  for (std::size_t dim = has_d ? 0 : has_h ? 1 : 2; dim < 3; ++dim) add_axis(axes[dim], dim, keys);
  return keys;
}

KeyValues matmul_descriptor(std::string_view text) {
  const MatmulText matmul = parse_matmul(text);
  const std::size_t rank = matmul.a.size();
  std::int64_t m = matmul.a[rank - 2];
  const std::int64_t n = matmul.b[rank - 1], k = matmul.a[rank - 1];
  if (matmul.b[rank - 2] != k) {
    throw UnreadProblem{"inner sizes differ: " + std::to_string(k) + " and " +
                        std::to_string(matmul.b[rank - 2])};
  }
  std::int64_t batch = product(matmul.a, 0, rank - 2);
  const std::int64_t weights = product(matmul.b, 0, rank - 2);
  const bool same = std::equal(matmul.a.begin(), matmul.a.end() - 2, matmul.b.begin());
  if (!same && weights != 1) throw UnreadProblem{"broadcast batch dimensions not in this library"};
  if (!same) {
    if (m != 0 && batch > kMax / m) throw UnreadProblem{"more than 2^40 rows"};
    m *= batch;
    batch = 1;
  }
  return {{"m", std::to_string(m)},
          {"n", std::to_string(n)},
          {"k", std::to_string(k)},
          {"batch", std::to_string(batch)}};
}

std::size_t matmul_rank(std::string_view text) { return parse_matmul(text).a.size(); }

std::vector<std::int64_t> dims_descriptor(std::string_view text) {
  std::vector<std::int64_t> dims;
  for (const std::string& part : split(text, 'x')) {
    const auto value = int_within(part, 0, kMax);
    if (!value) {
      throw UnreadProblem{"'" + part.substr(0, 20) + "' is no size (sizes look like 2x16x10)"};
    }
    dims.push_back(*value);
  }
  if (dims.size() > 12) throw UnreadProblem{"more than 12 dimensions"};
  return dims;
}

}  // namespace wm::importing
