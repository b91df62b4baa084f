#include "runner/fresh_process.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "config/library.hpp"
#include "core/error.hpp"
#include "determinism/compare.hpp"
#include "runner/execution.hpp"
#include "runner/prepare.hpp"
#include "runner/select.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

std::string to_hex(const std::vector<std::byte>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

std::vector<std::byte> from_hex(const std::string& hex) {
  const auto digit = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::vector<std::byte> bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  return bytes;
}

RunOutputs run_once(Device& device, const Case& item, const Variant& variant, Guard guard) {
  Prepared prepared;
  prepared.use(item);
  const Config config = item.config.empty() ? variant.configure(item.problem, device.props())
                                            : Config::parse(item.config);
  Execution execution(device, variant, item.problem, config, prepared.inputs(), guard);
  ExecutionSettings settings;
  settings.schedule = item.schedule;
  return execution.run(settings);
}

/// Runs a small problem of every other op; one that fails has run too. Gives how many.
int run_others(const Op& own, bool reverse, Device& device, const Catalog& catalog) {
  std::vector<const Op*> ops = all_ops();
  if (reverse) std::reverse(ops.begin(), ops.end());
  int count = 0;
  for (const Op* op : ops) {
    const std::string text = library_problem(*op);
    if (op == &own || text.empty()) continue;
    const Case other = parse_case_string(text);
    for (const Variant* variant : catalog.matching(other.problem)) {
      if (!variant->supports(other.problem, device.props()).ok()) continue;
      ++count;
      try {
        run_once(device, other, *variant, Guard::none);
      } catch (const KernelError&) {
      }
      break;
    }
  }
  return count;
}

const Variant& variant_named(const Catalog& catalog, const std::string& name) {
  for (const Variant& variant : catalog.variants())
    if (variant.id.to_string() == name) return variant;
  throw std::logic_error("no variant " + name);
}

json answer_to(const json& request, const CatalogSet& catalogs, const RunOptions& options) {
  const Case item = parse_case_string(request.at("case").get<std::string>());
  Devices devices(catalogs, options, false);
  Device& device = devices.open(item.device, item.emu_arch);
  const Catalog& catalog = catalog_of(catalogs, device.id());
  json answer{{"others", 0}, {"different", json::array()}};
  const auto others = request.at("others").get<FreshRequest::Others>();
  if (others != FreshRequest::Others::none)
    answer["others"] =
        run_others(*item.problem.op, others == FreshRequest::Others::reverse, device, catalog);
  const RunOutputs run =
      run_once(device, item, variant_named(catalog, request.at("variant").get<std::string>()),
               parse_guard(request.at("guard").get<std::string>()));
  if (!run.violation.empty()) return {{"failure", run.violation}};
  std::size_t at = 0;
  for (const TensorDesc& desc : item.problem.tensors) {
    if (desc.role != Role::output) continue;
    const bool equal = tensor_digest(desc, run.outputs[at]) == request.at("digests").at(at);
    answer["different"].push_back(equal ? json(nullptr) : json(to_hex(run.outputs[at])));
    ++at;
  }
  return answer;
}

/// In the process that forks: one child a request, whose line is passed on.
void serve(LineSocket& socket, const CatalogSet& catalogs, const RunOptions& options) {
  std::string request, reply;
  while (socket.receive(request)) {
    WorkerProcess child;
    child.start(
        [&](LineSocket& out) {
          json answer;
          try {
            answer = answer_to(json::parse(request), catalogs, options);
          } catch (const std::exception& error) {
            answer = {{"failure", error.what()}};
          }
          out.send(answer.dump(-1, ' ', false, json::error_handler_t::replace));
        },
        {socket.descriptor()});
    if (!child.socket().receive(reply)) {
      const std::string words = child.last_words();
      reply = json{{"failure", child.end() + "; last launch: " + words}}.dump();
    }
    if (!socket.send(reply)) return;
  }
}

}  // namespace

FreshProcess::FreshProcess(const CatalogSet& catalogs, const RunOptions& options) {
  source_.start([&](LineSocket& socket) { serve(socket, catalogs, options); }, {});
}

FreshRun FreshProcess::run(const FreshRequest& request) {
  const json line{{"case", to_case_string(request.item)},
                  {"variant", request.variant},
                  {"guard", name_of(request.guard)},
                  {"digests", request.digests},
                  {"others", request.others}};
  std::string reply;
  if (!source_.socket().send(line.dump(-1, ' ', false, json::error_handler_t::replace)) ||
      !source_.socket().receive(reply))
    throw std::runtime_error("the process that starts fresh ones " + source_.end());
  const json answer = json::parse(reply);
  FreshRun run;
  run.failure = answer.value("failure", std::string());
  if (!run.failure.empty()) return run;
  run.others = answer.at("others");
  for (const json& hex : answer.at("different"))
    run.different.push_back(hex.is_null() ? std::nullopt
                                          : std::optional(from_hex(hex.get<std::string>())));
  return run;
}

}  // namespace wm
