#include "registry/config.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {

Config& Config::set(std::string name, std::string value) {
  items_.emplace_back(std::move(name), std::move(value));
  return *this;
}

Config& Config::set(std::string name, std::int64_t value) {
  return set(std::move(name), std::to_string(value));
}

bool Config::has(std::string_view name) const {
  for (const auto& [key, value] : items_)
    if (key == name) return true;
  return false;
}

const std::string& Config::text(std::string_view name) const {
  for (const auto& [key, value] : items_)
    if (key == name) return value;
  throw UsageError("config '" + to_string() + "' has no item '" + std::string(name) + "'");
}

std::int64_t Config::integer(std::string_view name) const {
  const std::string& value = text(name);
  const auto number = parse_int(value);
  if (!number)
    throw UsageError("config item '" + std::string(name) + "': '" + value + "' is not an integer");
  return *number;
}

std::string Config::to_string() const {
  std::string out;
  for (const auto& [key, value] : items_) {
    if (!out.empty()) out += ',';
    out += key + "=" + value;
  }
  return out;
}

Config Config::parse(std::string_view text) {
  Config config;
  if (text.empty()) return config;
  for (const std::string& part : split(text, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
      throw UsageError("config '" + std::string(text) + "': '" + part +
                       "' is not of the form name=value");
    const std::string name = part.substr(0, equals);
    if (config.has(name))
      throw UsageError("config '" + std::string(text) + "': item '" + name + "' is given twice");
    config.set(name, part.substr(equals + 1));
  }
  return config;
}

}  // namespace wm
