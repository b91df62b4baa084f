#pragma once
// The formats behind make_renderer().
#include "report/renderer.hpp"

namespace wm::report {

std::unique_ptr<Renderer> make_gbench(std::ostream& target);
std::unique_ptr<Renderer> make_github(std::ostream& target);
std::unique_ptr<Renderer> make_html(std::ostream& target);
std::unique_ptr<Renderer> make_junit(std::ostream& target);

}  // namespace wm::report
