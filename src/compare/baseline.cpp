#include "compare/baseline.hpp"

#include <filesystem>
#include <fstream>

#include "compare/json_text.hpp"
#include "core/error.hpp"
#include "report/render.hpp"
#include "report/text.hpp"

namespace wm::compare {
namespace {

using json = nlohmann::ordered_json;

void read_header(const json& header, Side& side, HeaderFacts& facts) {
  side.name = report::text_of(header, "name");
  side.plan_hash = report::text_of(header, "plan_hash");
  side.planned = static_cast<std::int64_t>(header.value("planned", std::int64_t{0}));
  const json& device = report::object_of(report::object_of(header, "environment"), "device");
  side.device = report::text_of(device, "id");
  if (header.contains("shard") && !header["shard"].is_null()) {
    side.shard = bounded_text(header["shard"]);
  }
  side.filter = report::text_of(report::object_of(header, "settings"), "filter");
  facts.key = environment_key(header);
  facts.emulated = device.contains("emulated") && device["emulated"] == true;
}

}  // namespace

bool Baseline::add(Snapshot snapshot) {
  BaseRecord* first = nullptr;
  const auto found = by_case_.find({snapshot.case_id, snapshot.variant});
  if (found != by_case_.end()) first = found->second;
  for (BaseRecord* each = first; each; each = each->next_device) {
    if (each->snapshot.device == snapshot.device) return false;
  }
  BaseRecord& record = records_.emplace_back();
  record.snapshot = std::move(snapshot);
  if (first) {
    record.next_device = first->next_device;
    first->next_device = &record;
  } else {
    by_case_[{record.snapshot.case_id, record.snapshot.variant}] = &record;
  }
  return true;
}

BaseRecord* Baseline::find(const Snapshot& snapshot) {
  const auto found = by_case_.find({snapshot.case_id, snapshot.variant});
  if (found == by_case_.end()) return nullptr;
  for (BaseRecord* each = found->second; each; each = each->next_device) {
    if (each->snapshot.device == snapshot.device) return each;
  }
  return found->second;
}

void read_side(const std::string& path, Side& side, HeaderFacts& facts, Pool& pool,
               const std::function<void(Snapshot)>& record) {
  side.file = std::filesystem::is_directory(path) ? path + "/records.jsonl" : path;
  std::ifstream stream(side.file);
  if (!stream) throw UsageError("cannot read " + side.file + ": no such file, or not readable");
  const auto placed = [&](const std::function<void()>& read, std::int64_t line) {
    try {
      read();
    } catch (const std::exception& error) {  // also a field of another type
      throw UsageError(side.file + ":" + std::to_string(line) + ": " + error.what());
    }
  };
  report::read_report(
      stream, side.file,
      [&](const json& header) { placed([&] { read_header(header, side, facts); }, 1); },
      [&](const json& value) {
        ++side.records;
        Snapshot snapshot;
        placed([&] { snapshot = snapshot_of(value, pool); }, side.records + 1);
        record(std::move(snapshot));
      },
      [&](const json& summary) {
        side.closed = true;
        side.interrupted = summary.contains("interrupted") && summary["interrupted"] == true;
      });
  if (stream.bad()) throw EnvironmentError("cannot read " + side.file + " to its end");
}

}  // namespace wm::compare
