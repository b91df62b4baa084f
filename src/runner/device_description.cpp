#include "runner/device_description.hpp"

#include <algorithm>
#include <variant>

#include "core/mma_model.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

using IntField = int DeviceProps::*;
using BytesField = std::size_t DeviceProps::*;
using WordField = std::string DeviceProps::*;

/// A value of a description and its smallest and largest value.
struct Field {
  const char* key;
  std::variant<IntField, BytesField, WordField> member;
  std::int64_t least = 0, most = 0;
};

// Limits are what the emulator is built for: blocks of at most 1024 threads, warps of 32, and the
// size of its shared-memory arena.
constexpr std::int64_t kArenaBytes = 384 * 1024;
const std::vector<Field>& fields() {
  using P = DeviceProps;
  static const std::vector<Field> list{
      {"compute_capability", &P::compute_capability, 10, 999},
      {"sm_count", &P::sm_count, 1, 4096},
      {"warp_size", &P::warp_size, 32, 32},
      {"max_threads_per_block", &P::max_threads_per_block, 32, 1024},
      {"max_threads_per_sm", &P::max_threads_per_sm, 32, 65536},
      {"max_blocks_per_sm", &P::max_blocks_per_sm, 1, 1024},
      {"registers_per_sm", &P::registers_per_sm, 1, 1 << 24},
      {"shared_static_bytes", &P::shared_static_bytes, 0, kArenaBytes},
      {"shared_optin_bytes", &P::shared_optin_bytes, 0, kArenaBytes},
      {"shared_per_sm_bytes", &P::shared_per_sm_bytes, 0, 1 << 24},
      {"mma_model", &P::mma_model},
      {"l2_bytes", &P::l2_bytes, 0, std::int64_t{1} << 40},
      {"memory_bytes", &P::memory_bytes, 0, std::int64_t{1} << 50}};
  return list;
}

struct PeakField {
  const char* key;
  double PeakRates::*member;
};
const std::vector<PeakField>& peak_fields() {
  using P = PeakRates;
  static const std::vector<PeakField> list{{"boost_clock_hz", &P::boost_clock_hz},
                                           {"memory_bytes_per_s", &P::memory_bytes_per_s},
                                           {"f64", &P::f64},
                                           {"f32", &P::f32},
                                           {"f16", &P::f16},
                                           {"bf16", &P::bf16},
                                           {"tensor_f64", &P::tensor_f64},
                                           {"tensor_tf32", &P::tensor_tf32},
                                           {"tensor_f16", &P::tensor_f16},
                                           {"tensor_bf16", &P::tensor_bf16},
                                           {"tensor_f8", &P::tensor_f8},
                                           {"tensor_i8", &P::tensor_i8}};
  return list;
}

/// Reads one document; every check names the place.
class DescriptionReader {
 public:
  explicit DescriptionReader(const JsonDocument& document) : document_(document) {}

  DeviceProps read() {
    const JsonNode& root = document_.root;
    expect(root, JsonNode::Kind::object, "an object that describes a GPU");
    check_keys(root, root_keys());
    DeviceProps props;
    props.arch = word(need(root, "arch"), "a string");
    if (props.arch.empty() || props.arch.find_first_of("+ \t/") != std::string::npos)
      fail(need(root, "arch"), "arch must be a word without '+', '/' and blanks");
    props.name = word(need(root, "name"), "a string");
    sources_ = &need(root, "sources");
    expect(*sources_, JsonNode::Kind::object, "an object of titles");
    for (const JsonMember& source : sources_->members) (void)word(source.value, "a title");
    for (const Field& field : fields()) read_field(props, field, value_of(need(root, field.key)));
    read_peaks(props.peaks, need(root, "peaks"));
    check_together(props);
    return props;
  }

 private:
  [[noreturn]] void fail(const JsonNode& node, const std::string& message) const {
    throw ConfigError(document_.where(node), message);
  }
  void expect(const JsonNode& node, JsonNode::Kind kind, const char* wanted) const {
    if (node.kind != kind)
      fail(node, std::string("expected ") + wanted + ", got " + node.describe());
  }
  const std::string& word(const JsonNode& node, const char* wanted) const {
    expect(node, JsonNode::Kind::string, wanted);
    return node.text;
  }
  const JsonNode& need(const JsonNode& object, const char* key) const {
    const JsonNode* found = object.find(key);
    if (found == nullptr) fail(object, std::string("key '") + key + "' is missing");
    return *found;
  }
  void check_keys(const JsonNode& object, const std::vector<std::string>& allowed) const {
    for (const JsonMember& member : object.members)
      if (std::find(allowed.begin(), allowed.end(), member.key) == allowed.end())
        throw ConfigError(document_.where(member),
                          unknown_message("key of a GPU's description", member.key, allowed));
  }
  static std::vector<std::string> root_keys() {
    std::vector<std::string> keys{"arch", "name", "sources", "peaks"};
    for (const Field& field : fields()) keys.emplace_back(field.key);
    return keys;
  }

  /// The value of {"value": ..., "source": ...}, whose source must be listed.
  const JsonNode& value_of(const JsonNode& entry) const {
    expect(entry, JsonNode::Kind::object, R"({"value": ..., "source": ...})");
    check_keys(entry, {"value", "source"});
    const JsonNode& source = need(entry, "source");
    if (sources_->find(word(source, "a key of sources")) == nullptr) {
      std::vector<std::string> known;
      for (const JsonMember& each : sources_->members) known.push_back(each.key);
      fail(source, unknown_message("source", source.text, known));
    }
    return need(entry, "value");
  }

  void read_field(DeviceProps& props, const Field& field, const JsonNode& value) const {
    if (const auto* member = std::get_if<WordField>(&field.member)) {
      props.*(*member) = word(value, "the name of a tensor-core model");
      check_model(value);
      return;
    }
    expect(value, JsonNode::Kind::integer, "an integer");
    const auto number = parse_int(value.text);
    if (!number || *number < field.least || *number > field.most)
      fail(value, std::string(field.key) + " is " + value.text + ", allowed are " +
                      std::to_string(field.least) + " to " + std::to_string(field.most));
    if (const auto* member = std::get_if<IntField>(&field.member))
      props.*(*member) = static_cast<int>(*number);
    else
      props.*std::get<BytesField>(field.member) = static_cast<std::size_t>(*number);
  }
  void check_model(const JsonNode& value) const {
    const std::vector<std::string> names = mma_model_names();
    if (std::find(names.begin(), names.end(), value.text) == names.end())
      fail(value, unknown_message("tensor-core model", value.text, names));
  }

  /// Rates that are left out are 0: the GPU has no such unit, or nobody published them.
  void read_peaks(PeakRates& peaks, const JsonNode& object) const {
    expect(object, JsonNode::Kind::object, "an object of rates");
    std::vector<std::string> keys;
    for (const PeakField& field : peak_fields()) keys.emplace_back(field.key);
    check_keys(object, keys);
    for (const PeakField& field : peak_fields()) {
      peaks.*field.member = 0;
      const JsonNode* entry = object.find(field.key);
      if (entry == nullptr) continue;
      const JsonNode& value = value_of(*entry);
      const auto number = value.is_number() ? parse_real(value.text) : std::nullopt;
      if (!number || *number <= 0)
        fail(value, "expected a positive number, got " + value.describe());
      peaks.*field.member = *number;
    }
  }

  void check_together(const DeviceProps& props) const {
    const auto at_most = [&](const char* small_key, std::size_t small, const char* large_key,
                             std::size_t large) {
      if (small > large)
        fail(need(document_.root, small_key), std::string(small_key) + " is " +
                                                  std::to_string(small) + ", more than " +
                                                  large_key + ", " + std::to_string(large));
    };
    at_most("shared_static_bytes", props.shared_static_bytes, "shared_optin_bytes",
            props.shared_optin_bytes);
    at_most("shared_optin_bytes", props.shared_optin_bytes, "shared_per_sm_bytes",
            props.shared_per_sm_bytes);
    at_most("max_threads_per_block", static_cast<std::size_t>(props.max_threads_per_block),
            "max_threads_per_sm", static_cast<std::size_t>(props.max_threads_per_sm));
  }

  const JsonDocument& document_;
  const JsonNode* sources_ = nullptr;
};

}  // namespace

DeviceProps device_of(const JsonDocument& document) { return DescriptionReader(document).read(); }

const std::vector<DeviceProps>& known_devices() {
  static const std::vector<DeviceProps> list = [] {
    std::vector<DeviceProps> devices;
    for (const EmbeddedFile& file : embedded_device_files())
      devices.push_back(device_of(*parse_json(file.name, file.text)));
    std::stable_partition(devices.begin(), devices.end(), [](const DeviceProps& props) {
      return props.arch == DeviceProps{}.arch;
    });
    return devices;
  }();
  return list;
}

}  // namespace wm
