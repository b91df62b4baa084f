#pragma once
// `warpmark list archs`: what the emulator can pose as.
#include <nlohmann/json.hpp>

namespace wm {

/// Every description's properties and peak rates.
nlohmann::ordered_json archs_json();
void print_archs(const nlohmann::ordered_json& archs);

}  // namespace wm
