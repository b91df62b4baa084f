// warpmark merge: the shards of one plan become one report, after proof that they are all of it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "report/text.hpp"
#include "runner/planner.hpp"
#include "runner/summary.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// The shards do not make up one plan.
struct NoPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ShardReport {
  std::string file;
  json header, summary;
};

struct Line {
  std::int64_t index;
  std::size_t shard;
  std::streamoff begin;
};

/// The report files of an argument: itself, or those in the folder.
std::vector<std::string> files_of(const std::string& name) {
  if (!fs::is_directory(name)) return {name};
  std::vector<std::string> found, open;
  for (const auto& entry : fs::directory_iterator(name)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with("records")) continue;
    if (file.ends_with(".jsonl")) found.push_back(entry.path().string());
    if (file.ends_with(".part")) open.push_back(entry.path().string());
  }
  if (!open.empty()) throw NoPlan(open.front() + " is not closed: its run goes on or was killed");
  if (found.empty()) throw UsageError(name + ": has no records*.jsonl");
  std::sort(found.begin(), found.end());
  return found;
}

class Merger {
 public:
  explicit Merger(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      for (const std::string& file : files_of(name)) read(file);
    check_one_plan();
    check_complete();
  }

  /// Gives the records to the sink in the order of the plan, and returns the summary.
  json write(RecordSink& sink, const std::vector<std::string>& command) {
    json header = shards_.front().header;
    header.erase("shard");
    header["planned"] = header.at("plan_records");
    header["command"] = command;
    sink.header(header);
    std::vector<std::ifstream> streams;
    for (const ShardReport& shard : shards_) streams.emplace_back(shard.file, std::ios::binary);
    Summary summary;
    std::string text;
    for (const Line& line : lines_) {
      streams[line.shard].seekg(line.begin);
      std::getline(streams[line.shard], text);
      const json record = json::parse(text);
      summary.add(record);
      sink.record(record);
    }
    double wall_s = 0;
    for (const ShardReport& shard : shards_) wall_s += report::number_of(shard.summary, "wall_s");
    const json settings = report::object_of(header, "settings");
    json tail = summary.to_json(
        wall_s, false,
        static_cast<std::int64_t>(report::number_of(settings, "min_passed_per_variant")), true);
    tail["planned"] = header["planned"];
    sink.summary(tail);
    return tail;
  }

 private:
  void read(const std::string& file) {
    ShardReport shard{file, {}, {}};
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw UsageError("cannot read " + file + ": no such file, or not readable");
    std::streamoff begin = 0;
    std::string text;
    while (std::getline(stream, text) && !stream.eof()) {
      const json value = json::parse(text, nullptr, false);
      const std::string schema = value.is_object() ? report::text_of(value, "schema") : "";
      if (begin == 0 && schema == "warpmark.header/1") {
        shard.header = value;
      } else if (schema == "warpmark.record/1" && value.contains("index")) {
        lines_.push_back({value["index"].get<std::int64_t>(), shards_.size(), begin});
      } else if (schema == "warpmark.summary/1") {
        shard.summary = value;
      } else {
        throw UsageError(file + ": not a warpmark report, or of another version");
      }
      begin = stream.tellg();
    }
    if (shard.header.is_null()) throw UsageError(file + ": not a warpmark report");
    if (shard.summary.is_null() || shard.summary.value("interrupted", false))
      throw NoPlan(file + " was not finished: go on with it by --resume");
    shards_.push_back(std::move(shard));
  }

  void check_one_plan() const {
    const ShardReport& first = shards_.front();
    for (const ShardReport& shard : shards_) {
      for (const char* key : {"plan_hash", "records_hash", "stages", "settings"}) {
        if (shard.header.value(key, json()) == first.header.value(key, json())) continue;
        throw NoPlan(shard.file + " and " + first.file + " differ in " + key);
      }
      if (report::text_of(report::object_of(shard.header, "shard"), "distribute") == "replicate")
        throw NoPlan(shard.file +
                     " is one of several runs of the whole plan (--distribute "
                     "replicate): compare them, there is nothing to merge");
    }
  }

  /// Every record of the plan once, and no other: by its place, and by the hash over all of them.
  void check_complete() {
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Line& a, const Line& b) { return a.index < b.index; });
    const auto planned =
        static_cast<std::int64_t>(report::number_of(shards_.front().header, "plan_records"));
    std::int64_t missing = 0;
    std::int64_t next = 0;
    for (const Line& line : lines_) {
      if (line.index < next)
        throw NoPlan("record " + std::to_string(line.index) + " is in " + shards_[line.shard].file +
                     " and in another shard");
      missing += line.index - next;
      next = line.index + 1;
    }
    missing += planned - next;
    if (missing != 0)
      throw NoPlan(std::to_string(missing) + " of " + std::to_string(planned) +
                   " records are in none of the " + std::to_string(shards_.size()) + " files" +
                   missing_shards());
    check_hash();
  }

  std::string missing_shards() const {
    const auto shard_of = [](const ShardReport& shard) {
      return report::object_of(shard.header, "shard");
    };
    const auto count = static_cast<int>(report::number_of(shard_of(shards_.front()), "count"));
    std::string text;
    for (int index = 1; index <= count; ++index) {
      const bool here = std::any_of(shards_.begin(), shards_.end(), [&](const ShardReport& shard) {
        return static_cast<int>(report::number_of(shard_of(shard), "index")) == index;
      });
      if (!here)
        text += (text.empty() ? "; missing: shard " : ", ") + std::to_string(index) + "/" +
                std::to_string(count);
    }
    return text;
  }

  void check_hash() const {
    std::vector<std::ifstream> streams;
    for (const ShardReport& shard : shards_) streams.emplace_back(shard.file, std::ios::binary);
    Sha256 hash;
    std::string text;
    for (const Line& line : lines_) {
      streams[line.shard].seekg(line.begin);
      std::getline(streams[line.shard], text);
      const json record = json::parse(text);
      const std::string key =
          record_key(report::text_of(record, "case_id"), report::text_of(record, "variant"));
      hash.update(key.data(), key.size());
    }
    if (hash.hex() != report::text_of(shards_.front().header, "records_hash"))
      throw NoPlan("the records are not those of the plan (records_hash differs)");
  }

  std::vector<ShardReport> shards_;
  std::vector<Line> lines_;
};

struct MergeVerb {
  std::vector<std::string> shards;
  std::string out, fail_on;
  bool force = false;

  int run(const Context& context) const {
    const auto failing =
        fail_on.empty() ? default_fail_on() : split_words("--fail-on", fail_on, fail_on_words());
    if (!force) check_folder(out, std::nullopt);
    try {
      Merger merger(shards);
      const ReportFiles files(out, std::nullopt);
      FolderSink sink(files, force ? Journal::Mode::overwrite : Journal::Mode::create, false);
      const json summary = merger.write(sink, context.command);
      std::cerr << "report: " << files.report << "\n";
      const int code = exit_code_of(outcome_of(summary, true), failing);
      print_unmet(summary, code);
      return code;
    } catch (const NoPlan& error) {
      std::cerr << "merge: " << error.what() << "\n";
      return kNothingMatched;
    }
  }
};

}  // namespace

void add_merge(CLI::App& app, Context& context) {
  auto options = std::make_shared<MergeVerb>();
  CLI::App* verb =
      app.add_subcommand("merge", "Join the shards of a run and prove that they cover its plan");
  verb->add_option("SHARD", options->shards, "Reports of the shards, or folders of them")
      ->type_name("")
      ->required();
  verb->add_option("--out", options->out, "Folder for the joined report")->required();
  verb->add_flag("--force", options->force, "Overwrite the report in a non-empty --out");
  verb->add_option(
      "--fail-on", options->fail_on,
      "Comma list of what makes the exit code bad (default " + join(default_fail_on(), ",") + ")");
  verb->footer(
      "Exit code: that of a run of the whole plan; 6 when the shards do not make up one plan:\n"
      "another plan or other settings, a record missing or twice, a shard not finished.");
  verb->callback([options, &context] {
    context.action = [options, &context] { return options->run(context); };
  });
}

}  // namespace wm
