#pragma once
// Options of MIOpenDriver: the tables of its drivers and the values of one command line.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wm::importing {

/// Why a line was not read.
struct UnreadCommand {
  std::string reason;
};

/// One flag of a driver: `-n`, `--batchsize`. Those that only say how to measure are `ignored`.
struct Flag {
  char letter;
  std::string_view name;
  std::string_view fallback;  ///< the driver's default
  bool ignored = false;
};

const std::vector<Flag>& conv_flags();
const std::vector<Flag>& gemm_flags();
const std::vector<Flag>& softmax_flags();
const std::vector<Flag>& activ_flags();

/// Values of a command line by long name. Every member throws UnreadCommand.
class Flags {
 public:
  /// `words`: option, value, option, value ...
  Flags(const std::vector<Flag>& own, const std::vector<std::string>& words);
  std::string text(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t lo = 0) const;
  double real(std::string_view name) const;

 private:
  const Flag& find(const std::string& word) const;

  const std::vector<Flag>& own_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace wm::importing
