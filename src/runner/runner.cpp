#include "runner/runner.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/error.hpp"
#include "core/text.hpp"
#include "runner/case_worker.hpp"
#include "runner/environment.hpp"
#include "runner/fresh_process.hpp"
#include "runner/planner.hpp"
#include "runner/record.hpp"
#include "runner/summary.hpp"
#include "runner/worker_pool.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One pass over the plan.
class Runner {
 public:
  Runner(const Plan& plan, const RunOptions& options, const CatalogSet& catalogs, RecordSink& sink,
         const std::atomic<bool>& stop)
      : plan_(plan),
        options_(options),
        catalogs_(catalogs),
        sink_(sink),
        stop_(stop),
        planner_(plan, options, catalogs) {}

  json run() {
    const bool aside = options_.isolate && catalogs_.has_cuda_build();
    planner_.use(aside ? in_child([this] { return planner_.look(); }) : planner_.look());
    sink_.header(header());
    take_earlier();
    if (options_.isolate)
      run_in_workers();
    else
      run_here();
    json text =
        summary_.to_json(seconds_since(start_), stop_, plan_.requirements().min_passed_per_variant,
                         !options_.shard || options_.shard->replicate);
    text["planned"] = planner_.own_records();
    sink_.summary(text);
    return text;
  }

 private:
  json header() const {
    json text{{"schema", "warpmark.header/1"},
              {"name", plan_.name()},
              {"started", utc_now("%Y-%m-%dT%H:%M:%SZ")},
              {"plan_hash", plan_.hash()},
              {"planned", planner_.own_records()},
              {"plan_records", planner_.records()},
              {"records_hash", planner_.records_hash()},
              {"stages", options_.stages},
              {"settings",
               {{"device", options_.device},
                {"filter", options_.filter},
                {"emu_arch", options_.emu_arch},
                {"guard", options_.guard ? json(name_of(*options_.guard)) : json(nullptr)},
                {"repeats", options_.reruns},
                {"schedules", options_.schedules},
                {"audit", options_.audit},
                {"races", options_.races},
                {"count", options_.count},
                {"min_passed_per_variant", plan_.requirements().min_passed_per_variant}}},
              {"command", options_.command},
              {"environment", planner_.environment()}};
    if (options_.shard)
      text["shard"] = {{"index", options_.shard->index},
                       {"count", options_.shard->count},
                       {"distribute", options_.shard->replicate ? "replicate" : "partition"}};
    return text;
  }

  void take_earlier() {
    if (!options_.earlier) return;
    made_.resize(static_cast<std::size_t>(planner_.records()));
    options_.earlier([this](const json& record) {
      made_.at(record.at("index").get<std::size_t>()) = true;
      summary_.add(record);
      ++done_;
    });
    taken_ = done_;
  }

  void add(const json& record) {
    summary_.add(record);
    ++done_;
    sink_.record(record);
  }

  void add_without_run(const Assignment& work, const PlannedRecord& record, Status status,
                       const std::string& reason) {
    CaseResult result;
    result.status = status;
    result.reason = reason;
    add(make_record(case_of(work, record), record.id, record.index, work.settings, result));
  }

  /// Makes the records that need no worker; what is left is for one.
  void settle(Assignment& work) {
    const bool over = options_.budget_s > 0 && seconds_since(start_) >= options_.budget_s;
    std::erase_if(work.records, [&](const PlannedRecord& record) {
      if (!record.reason.empty()) {
        add_without_run(work, record, Status::unsupported, record.reason);
      } else if (over) {
        add_without_run(
            work, record, Status::skipped,
            "budget: the time budget of " + format_real(options_.budget_s) + " s was used up");
      }
      return !record.reason.empty() || over;
    });
    if (options_.budget_s > 0 && expected_seconds() > options_.budget_s) {
      work.settings.samples = 1;
      work.settings.reruns = 2;
      work.settings.schedules = 2;
    }
  }

  /// How long the run will have taken at its present rate.
  double expected_seconds() const {
    const auto made = static_cast<double>(done_ - taken_);
    const auto left = static_cast<double>(planner_.own_records() - done_);
    const double elapsed = seconds_since(start_);
    return made == 0 ? 0 : elapsed + elapsed / made * left;
  }

  void run_here() {
    set_reference_threads(options_.threads);
    CaseWorker worker(catalogs_, options_, plan_.requirements().device == "cuda");
    planner_.for_each(made_, [&](Assignment&& work) {
      settle(work);
      for (const PlannedRecord& record : work.records) {
        if (stop_) return false;
        add(worker.run(work.item, work.settings, record.index, record.id.to_string()));
      }
      return !stop_.load();
    });
  }

  void run_in_workers() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    constexpr unsigned kMostAsked = 16;  // times the cores: more only takes memory
    const unsigned threads =
        options_.threads > 0 ? std::min(options_.threads, kMostAsked * cores) : cores;
    // A GPU is not shared: times beside another process's kernels would mean nothing.
    const unsigned most = planner_.uses_cuda() ? 1 : threads;
    const auto workers =
        static_cast<unsigned>(std::clamp<std::int64_t>(planner_.cases(), 1, std::int64_t{most}));
    RunOptions own = options_;
    own.threads = std::clamp(threads / workers, 1U, cores);
    const auto main = [&](LineSocket& socket) {
      set_reference_threads(own.threads);
      try {
        std::optional<FreshProcess> fresh;  // before the first device
        if (own.audit) fresh.emplace(catalogs_, own);
        CaseWorker worker(catalogs_, own, plan_.requirements().device == "cuda",
                          fresh ? &*fresh : nullptr);
        serve_assignments(socket, worker);
      } catch (const std::exception& error) {
        report_unusable(socket, error.what());
      }
    };
    WorkerPool pool(
        workers, main,
        {[this](json record) { add(record); },
         [this](const Assignment& work, const PlannedRecord& record, const std::string& reason) {
           add_without_run(work, record, Status::error, reason);
         }},
        stop_);
    const double share = available_host_bytes() / workers;
    planner_.for_each(made_, [&](Assignment&& work) {
      settle(work);
      if (work.records.empty()) return !stop_.load();
      const bool alone = workers > 1 && host_bytes_needed(work.item.problem) > share / 2;
      pool.submit(std::move(work), alone);
      return !stop_.load();
    });
    pool.finish();
  }

  const Plan& plan_;
  const RunOptions& options_;
  const CatalogSet& catalogs_;
  RecordSink& sink_;
  const std::atomic<bool>& stop_;
  Planner planner_;
  Summary summary_;
  std::vector<bool> made_;  ///< by an earlier run
  std::int64_t done_ = 0, taken_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

std::vector<std::string> algorithm_names(const CatalogSet& catalogs, const std::string& op) {
  std::vector<std::string> names;
  for (const Catalog* catalog : {&catalogs.emu, &catalogs.cuda}) {
    for (const Variant& variant : catalog->variants()) {
      if (variant.id.op != op) continue;
      const std::string& provider = variant.id.provider;
      const std::string name =
          provider == "warpmark" ? variant.id.algorithm : provider + ":" + variant.id.algorithm;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

json run_plan(const Plan& plan, const RunOptions& options, const CatalogSet& catalogs,
              RecordSink& sink, const std::atomic<bool>& stop) {
  return Runner(plan, options, catalogs, sink, stop).run();
}

}  // namespace wm
