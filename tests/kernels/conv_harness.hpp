#pragma once
// Runs one convolution variant on the emulator against a naive loop, with integer data whose sums
// are exact: every algorithm must give the correctly rounded result bit for bit.
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "registry/catalog.hpp"

namespace wm::test {

struct ConvCase {
  std::string op;
  std::string keys;  ///< "n=1 c=3 h=7 ..." without dtype and layout
  std::string dtype = "f32";
  std::string layout = "nchw";
  std::string algorithm;
  std::string config;  ///< empty: the heuristic's
  Guard guard = Guard::none;
  Poison poison = Poison::nan;
  Schedule schedule;
  bool padded = false;  ///< strides padded by gaps, bases moved by an element
  bool normal = false;  ///< random reals instead of small integers; the result is not compared

  std::string text() const;
};

struct ConvOutcome {
  std::string unsupported;           ///< reason, when the variant refused
  std::string problem;               ///< empty when everything was right
  std::vector<unsigned char> bytes;  ///< the output buffer
  std::string config;
  Claims claims;
};

ConvCase make_case(const std::string& op, const std::string& algorithm, const std::string& keys);
const Catalog& emulator_catalog();
std::vector<std::string> algorithms_of(const std::string& op);
Problem resolve_case(const ConvCase& conv_case);
const Variant& variant_of(const ConvCase& conv_case, const Problem& problem);
ConvOutcome run_conv(const ConvCase& conv_case);

}  // namespace wm::test
