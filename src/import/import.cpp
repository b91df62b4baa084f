#include "import/import.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/text.hpp"
#include "import/collector.hpp"

namespace wm::importing {

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{"miopen", "benchdnn", "cudnn-log", "csv"};
  return names;
}

const std::vector<std::string>& driver_names() {
  static const std::vector<std::string> names{"conv", "matmul", "softmax", "eltwise"};
  return names;
}

Imported import_stream(const std::string& format, std::istream& stream, const std::string& file,
                       const std::string& driver) {
  const auto& drivers = driver_names();
  if (!driver.empty() && std::find(drivers.begin(), drivers.end(), driver) == drivers.end()) {
    throw UsageError(unknown_message("driver", driver, drivers));
  }
  Collector out;
  if (format == "miopen") {
    read_miopen(stream, file, out);
  } else if (format == "benchdnn") {
    read_benchdnn(stream, file, driver, out);
  } else if (format == "cudnn-log") {
    read_cudnn_log(stream, file, out);
  } else if (format == "csv") {
    read_csv(stream, file, out);
  } else {
    throw UsageError(unknown_message("format", format, format_names()));
  }
  return out.take();
}

Imported import_file(const std::string& format, const std::string& file,
                     const std::string& driver) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file)) {
    throw UsageError("cannot read " + file + ": no such file, or not readable");
  }
  return import_stream(format, stream, file, driver);
}

}  // namespace wm::importing
