#include "runner/npy.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

struct Header {
  std::string descr;
  bool fortran = false;
  Dims shape;
};

[[noreturn]] void bad(const std::string& path, const std::string& what) {
  throw UsageError("npy file '" + path + "': " + what);
}

// Text of `'key': value` in the header's Python dictionary, up to the comma that ends it.
std::string field(const std::string& path, const std::string& text, const std::string& key) {
  const auto at = text.find("'" + key + "'");
  const auto colon = at == std::string::npos ? at : text.find(':', at);
  if (colon == std::string::npos) bad(path, "header has no '" + key + "'");
  auto begin = text.find_first_not_of(' ', colon + 1);
  if (begin == std::string::npos) bad(path, "header ends after '" + key + "'");
  const char opener = text[begin];
  const std::string closers = opener == '(' ? ")" : opener == '\'' ? "'" : ",}";
  const auto end = text.find_first_of(closers, begin + 1);
  if (end == std::string::npos) bad(path, "header does not close '" + key + "'");
  if (opener == '(' || opener == '\'') ++begin;
  return text.substr(begin, end - begin);
}

Header parse_header(const std::string& path, const std::string& text) {
  Header header;
  header.descr = field(path, text, "descr");
  header.fortran = field(path, text, "fortran_order").starts_with("True");
  for (const std::string& part : split(field(path, text, "shape"), ',')) {
    const auto first = part.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    const auto size = parse_int(std::string_view(part).substr(first));
    if (!size || *size < 0) bad(path, "shape item '" + part + "' is not a size");
    header.shape.push_back(*size);
  }
  return header;
}

std::string dims_text(const Dims& dims) {
  std::vector<std::string> parts;
  for (const std::int64_t dim : dims) parts.push_back(std::to_string(dim));
  return "(" + join(parts, ", ") + ")";
}

// The element type the file's numbers have, nothing where it cannot feed a tensor of `dtype`.
std::optional<DType> file_type(const std::string& descr, DType dtype) {
  const std::string kind =
      descr.size() > 1 && (descr[0] == '<' || descr[0] == '|') ? descr.substr(1) : descr;
  if (kind == "u2" && dtype == DType::bf16) return DType::bf16;
  if (kind == "u1" && (dtype == DType::e4m3 || dtype == DType::e5m2)) return dtype;
  if (kind == "f2") return DType::f16;
  if (kind == "f4") return DType::f32;
  if (kind == "f8") return DType::f64;
  if (kind == "i1") return DType::s8;
  if (kind == "u1") return DType::u8;
  if (kind == "i4") return DType::s32;
  if (kind == "i8") return DType::s64;
  return std::nullopt;
}

}  // namespace

namespace {

/// Where the numbers of a file begin, and their type.
struct Content {
  std::size_t start = 0;
  DType type = DType::f32;
};

std::string read_bytes(std::ifstream& in, std::size_t count) {
  std::string bytes(count, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

/// Reads the header and holds it against the tensor and the file's length.
Content open_npy(std::ifstream& in, const std::string& path, const Dims& dims, DType dtype) {
  in.open(path, std::ios::binary);
  if (!in) bad(path, "cannot be opened");
  const std::string prefix = read_bytes(in, 12);
  if (prefix.size() < 12 || prefix.compare(0, 6, "\x93NUMPY") != 0) bad(path, "is not a .npy file");
  const bool wide = prefix[6] >= 2;
  std::uint32_t length = 0;
  std::memcpy(&length, prefix.data() + 8, wide ? 4 : 2);
  const std::size_t begin = wide ? 12 : 10;
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::size_t>(in.tellg());
  if (begin + length > size) bad(path, "header is cut off");
  in.seekg(static_cast<std::streamoff>(begin));
  const Header header = parse_header(path, read_bytes(in, length));
  if (header.fortran) bad(path, "is in Fortran order; save it in C order");
  if (header.shape != dims)
    bad(path, "has shape " + dims_text(header.shape) + ", the tensor has " + dims_text(dims));
  const auto type = file_type(header.descr, dtype);
  if (!type)
    bad(path, "element type '" + header.descr + "' cannot feed a tensor of type " +
                  std::string(name_of(dtype)));
  const std::size_t needed = static_cast<std::size_t>(element_count(dims)) * info(*type).bytes;
  const Content content{begin + length, *type};
  if (size - content.start < needed)
    bad(path, "has " + std::to_string(size - content.start) + " bytes of data, needs " +
                  std::to_string(needed));
  return content;
}

}  // namespace

void check_npy(const std::string& path, const Dims& dims, DType dtype) {
  std::ifstream in;
  (void)open_npy(in, path, dims, dtype);
}

std::vector<double> read_npy(const std::string& path, const Dims& dims, DType dtype) {
  std::ifstream in;
  const Content content = open_npy(in, path, dims, dtype);
  const auto count = static_cast<std::size_t>(element_count(dims));
  in.seekg(static_cast<std::streamoff>(content.start));
  const std::string data = read_bytes(in, count * info(content.type).bytes);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = load_as_double(content.type, data.data(), static_cast<std::int64_t>(i));
  return values;
}

namespace {

/// NumPy's name of the type the file's numbers have.
std::string file_descr(DType dtype) {
  const auto bytes = std::to_string(info(dtype).bytes);
  const std::string order = info(dtype).bytes == 1 ? "|" : "<";
  switch (dtype) {
    case DType::f16:
    case DType::f32:
    case DType::f64:
      return order + "f" + bytes;
    case DType::s8:
    case DType::s32:
    case DType::s64:
      return order + "i" + bytes;
    default:
      return order + "u" + bytes;
  }
}

}  // namespace

void write_npy(const std::string& path, const Dims& dims, DType dtype,
               std::span<const double> values) {
  std::string text = "{'descr': '" + file_descr(dtype) + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t dim : dims) text += std::to_string(dim) + ",";
  text += "), }";
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  text.append(kAlignment - 1 - (kPrefix + text.size()) % kAlignment, ' ');
  text += '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string data("\x93NUMPY\x01\x00", 8);
  data += static_cast<char>(length & 0xff);
  data += static_cast<char>(length >> 8);
  data += text;
  const TensorDesc dense{"", Role::output, dtype, dims, packed_strides(dims), 0};
  std::vector<std::byte> bytes(dense.bytes());
  store_all(dense, values, bytes.data());
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(data.data(), static_cast<std::streamsize>(data.size()));
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw EnvironmentError("cannot write " + path + " (disk full?)");
}

}  // namespace wm
