#pragma once
// The HTML page's content security policy.
#include <string>
#include <string_view>

namespace wm::report {

/// "'sha256-<base64>'" that allows exactly this inline script or style.
std::string policy_hash(std::string_view content);

}  // namespace wm::report
