#include "runner/assignment.hpp"

#include <nlohmann/json.hpp>

namespace wm {
namespace {

using json = nlohmann::ordered_json;

}  // namespace

Case case_of(const Assignment& assignment, const PlannedRecord& record) {
  Case single = assignment.item;
  single.algorithm = record.id.algorithm;
  return single;
}

std::string to_line(const Assignment& assignment) {
  const CaseSettings& settings = assignment.settings;
  json records = json::array();
  for (const PlannedRecord& record : assignment.records)
    records.push_back({record.index, record.id.to_string()});
  const json line{
      {"case", to_case_string(assignment.item)},
      {"label", assignment.item.label},
      {"count", assignment.item.count},
      {"stages", {settings.stages.verify, settings.stages.determinism, settings.stages.throughput}},
      {"reruns", settings.reruns},
      {"schedules", settings.schedules},
      {"audit", settings.audit},
      {"samples", settings.samples},
      {"guard", name_of(settings.guard)},
      {"counters", settings.count},
      {"dump", settings.dump},
      {"replay", settings.replay},
      {"records", records}};
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

ReceivedAssignment parse_assignment(const std::string& text) {
  const json line = json::parse(text);
  ReceivedAssignment received;
  received.item = parse_case_string(line.at("case").get<std::string>());
  received.item.label = line.at("label");
  received.item.count = line.at("count");
  CaseSettings& settings = received.settings;
  const json& stages = line.at("stages");
  settings.stages = {stages.at(0), stages.at(1), stages.at(2)};
  settings.reruns = line.at("reruns");
  settings.schedules = line.at("schedules");
  settings.audit = line.at("audit");
  settings.samples = line.at("samples");
  settings.guard = parse_guard(line.at("guard").get<std::string>());
  settings.count = line.at("counters");
  settings.dump = line.at("dump");
  settings.replay = line.at("replay");
  for (const json& record : line.at("records"))
    received.records.emplace_back(record.at(0), record.at(1));
  return received;
}

}  // namespace wm
