#include "compare/pair.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "compare/comparability.hpp"
#include "compare/json_text.hpp"
#include "report/text.hpp"

namespace wm::compare {
namespace {

class Pair {
 public:
  Pair(const Snapshot& base, const Snapshot& fresh, const PairContext& context)
      : base_(base), fresh_(fresh), context_(context) {}

  PairResult run() {
    compare_status();
    if (base_.config != fresh_.config && base_.ran && fresh_.ran) {
      add(Verdict::info, "config", "", json_text(base_.config), json_text(fresh_.config));
    }
    if (base_.ran && fresh_.ran) compare_results();
    return std::move(result_);
  }

 private:
  Finding& add(Verdict verdict, const std::string& aspect, std::string_view tensor,
               std::string old_value, std::string new_value, std::string detail = "") {
    Finding finding;
    finding.verdict = verdict;
    finding.aspect = aspect;
    finding.case_id = fresh_.case_id;
    finding.variant = fresh_.variant;
    finding.tensor = tensor;
    finding.old_value = std::move(old_value);
    finding.new_value = std::move(new_value);
    finding.detail = std::move(detail);
    finding.repro = fresh_.repro;
    return result_.findings.emplace_back(std::move(finding));
  }

  void compare_status() {
    if (base_.status == fresh_.status) return;
    const int before = status_rank(base_.status), after = status_rank(fresh_.status);
    const std::string old_value = json_text(base_.status), new_value = json_text(fresh_.status);
    if (fresh_.status == "skipped" && base_.status != "unsupported") {
      add(Verdict::regression, "coverage", "", old_value, new_value,
          "no longer runs: " + fresh_.reason);
      return;
    }
    const Verdict verdict = after > before   ? Verdict::worse
                            : after < before ? Verdict::better
                                             : Verdict::info;
    add(verdict, "status", "", old_value, new_value, fresh_.reason);
  }

  void compare_results() {
    compare_claims();
    if (base_.recipe != fresh_.recipe) {
      result_.uncompared.push_back(
          {Uncompared::cross_environment, "digest, error, tree",
           "recipe " + std::string(base_.recipe) + " / " + std::string(fresh_.recipe)});
    } else {
      compare_digests();
      compare_errors();
      compare_trees();
    }
    compare_probes();
    compare_counters();
    compare_workspace();
    if (const auto timing = timing_verdict(base_, fresh_, context_.environment_difference)) {
      result_.uncompared.push_back({timing->kind, "timing", timing->reason});
    }
  }

  void compare_claims() {
    if (base_.claims == fresh_.claims) return;
    const Fields before = fields_of(base_.claims), after = fields_of(fresh_.claims);
    const bool same_determinism = base_.deterministic == fresh_.deterministic;
    for (const auto& [name, value] : before) {
      const std::string* now = find(after, name);
      if (now && *now == value) continue;
      const bool wording = name == "nondeterministic_reason" && same_determinism;
      add(wording ? Verdict::info : Verdict::changed, "claim." + std::string(name), "", value,
          now ? *now : "null");
    }
    for (const auto& [name, value] : after) {
      if (find(before, name)) continue;
      add(Verdict::info, "claim." + std::string(name), "", "null", value, "a new kind of claim");
    }
  }

  /// Why a digest may differ without being a finding; empty: it may not.
  std::string digest_freedom() const {
    if (!base_.deterministic || !fresh_.deterministic) return "claimed nondeterministic";
    if (context_.one_emulated && !(base_.bit_twin && fresh_.bit_twin)) {
      return "one side is emulated and the claim is not bit_twin";
    }
    return "";
  }

  void compare_digests() {
    for (const auto& [tensor, value] : base_.digests) {
      const std::string* now = find(fresh_.digests, tensor);
      if (!now) {
        lose("digests");
        continue;
      }
      ++result_.evidence;
      if (*now == value) continue;
      const std::string freedom = digest_freedom();
      add(freedom.empty() ? Verdict::changed : Verdict::info, "digest", tensor, value, *now,
          freedom);
    }
  }

  void compare_errors() {
    const Limits& limits = context_.limits;
    for (const TensorErrors& before : base_.errors) {
      const auto now =
          std::find_if(fresh_.errors.begin(), fresh_.errors.end(),
                       [&](const TensorErrors& each) { return each.tensor == before.tensor; });
      if (now == fresh_.errors.end()) {
        lose("accuracy");
        continue;
      }
      ++result_.evidence;
      compare_error("error.max_ulp", before.tensor, before.max_ulp, now->max_ulp,
                    limits.max_ulp_rise_ulp, limits.max_ulp_rise_percent);
      compare_error("error.bound_utilisation", before.tensor, before.bound_utilisation,
                    now->bound_utilisation, limits.bound_utilisation_rise_fraction,
                    limits.bound_utilisation_rise_percent);
    }
  }

  void compare_error(const std::string& aspect, std::string_view tensor, double before, double now,
                     double absolute, double percent) {
    if (before == now || (std::isnan(before) && std::isnan(now))) return;
    const double allowed = std::max(absolute, before * percent / 100);
    const bool worse = std::isnan(now) || (!std::isnan(before) && now - before > allowed);
    const bool better =
        std::isnan(before) || before - now > std::max(absolute, now * percent / 100);
    if (!worse && !better) return;
    add(worse ? Verdict::regression : Verdict::better, aspect, tensor, json_text(before),
        json_text(now),
        worse ? "error drift above " + report::short_number(absolute) + " and " +
                    report::short_number(percent) + " %"
              : "");
  }

  void compare_trees() {
    for (const auto& [tensor, value] : base_.trees) {
      const std::string* now = find(fresh_.trees, tensor);
      if (!now) {
        lose("tree");
        continue;
      }
      ++result_.evidence;
      if (*now != value) add(Verdict::changed, "tree", tensor, value, *now);
    }
  }

  /// The status judges probes; here a probe that no longer runs is lost coverage, on the same
  /// device.
  void compare_probes() {
    if (base_.device != fresh_.device || base_.probes == fresh_.probes) return;
    const Fields probes = fields_of(fresh_.probes);
    for (const auto& [name, verdict] : fields_of(base_.probes)) {
      const std::string* now = find(probes, name);
      const std::string after = now ? *now : "not_run";
      if (after == verdict) continue;
      if (after == "not_run") {
        lose("probe " + std::string(name.substr(0, name.find('.'))));
      } else {
        add(Verdict::info, "probe", name, json_text(verdict), json_text(after));
      }
    }
  }

  void compare_counters() {
    if (base_.counters.empty()) return;
    if (fresh_.counters.empty()) {
      lose("counters");
      return;
    }
    if (base_.counter_key != fresh_.counter_key) {
      result_.uncompared.push_back({Uncompared::cross_environment, "counters",
                                    "counted by " + std::string(base_.counter_key) + "/ " +
                                        std::string(fresh_.counter_key)});
      return;
    }
    ++result_.evidence;
    for (const auto& before : base_.counters) {
      const auto now = std::find_if(fresh_.counters.begin(), fresh_.counters.end(),
                                    [&](const auto& each) { return each.first == before.first; });
      if (now == fresh_.counters.end()) {
        lose("counter " + std::string(before.first));
      } else {
        compare_counter(before.first, before.second, now->second);
      }
    }
  }

  void compare_counter(std::string_view name, double before, double now) {
    const double limit = before * (1 + context_.limits.counter_rise_percent / 100);
    if (before == now || (now > before && now <= limit)) return;
    // Lanes that took part in requests are no cost: the requests are.
    const Verdict verdict = name.ends_with("_lanes") ? Verdict::info
                            : now > before           ? Verdict::regression
                                                     : Verdict::better;
    add(verdict, "counter." + std::string(name), "", json_text(before), json_text(now));
  }

  void compare_workspace() {
    const double rise = fresh_.workspace_bytes - base_.workspace_bytes;
    if (rise == 0 || (rise > 0 && rise <= context_.limits.workspace_rise_bytes)) return;
    add(rise > 0 ? Verdict::regression : Verdict::better, "workspace_bytes", "",
        json_text(base_.workspace_bytes), json_text(fresh_.workspace_bytes));
  }

  void lose(std::string aspect) {
    auto& lost = result_.lost;
    if (std::find(lost.begin(), lost.end(), aspect) == lost.end())
      lost.push_back(std::move(aspect));
  }

  const Snapshot& base_;
  const Snapshot& fresh_;
  const PairContext& context_;
  PairResult result_;
};

}  // namespace

int status_rank(std::string_view status) {
  // A wrong result and a crash rank alike: neither is an improvement on the other.
  constexpr std::array<std::pair<std::string_view, int>, 9> kRanks{{{"passed", 0},
                                                                    {"skipped", 1},
                                                                    {"unsupported", 1},
                                                                    {"inconclusive", 2},
                                                                    {"mistrusted", 3},
                                                                    {"nondeterministic", 4},
                                                                    {"convention", 4},
                                                                    {"failed", 5},
                                                                    {"error", 5}}};
  for (const auto& [word, rank] : kRanks) {
    if (word == status) return rank;
  }
  return 6;
}

PairResult compare_pair(const Snapshot& base, const Snapshot& fresh, const PairContext& context) {
  return Pair(base, fresh, context).run();
}

}  // namespace wm::compare
