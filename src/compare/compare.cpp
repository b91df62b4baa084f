#include "compare/compare.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "compare/baseline.hpp"
#include "compare/json_text.hpp"
#include "compare/pair.hpp"
#include "core/text.hpp"
#include "report/text.hpp"

namespace wm::compare {
namespace {

class Comparer {
 public:
  explicit Comparer(Options options) : options_(std::move(options)) {}

  Comparison run(const std::string& base, const std::string& fresh) {
    HeaderFacts base_facts, fresh_facts;
    read_side(base, out_.base, base_facts, baseline_.pool(), [&](Snapshot snapshot) {
      base_variants_.insert(snapshot.variant);
      if (!baseline_.add(std::move(snapshot))) ++out_.base.repeated;
    });
    Pool pool;
    bool first = true;
    read_side(fresh, out_.fresh, fresh_facts, pool, [&](const Snapshot& snapshot) {
      if (first) {
        context_.environment_difference = key_difference(base_facts.key, fresh_facts.key);
        context_.one_emulated = base_facts.emulated != fresh_facts.emulated;
        first = false;
      }
      compare_record(snapshot);
    });
    if (!nothing_in_common()) add_vanished();
    add_lost();
    add_notes();
    return std::move(out_);
  }

 private:
  struct Lost {
    std::int64_t records = 0;
    std::string repro;
  };

  void compare_record(const Snapshot& fresh) {
    // A hash alone: that two records share one by chance would only show in the count of a note.
    std::string key = fresh.case_id + "\n" + std::string(fresh.variant) + "\n";
    if (!seen_.insert(std::hash<std::string>{}(key.append(fresh.device))).second) {
      ++out_.fresh.repeated;
    }
    fresh_variants_.emplace(fresh.variant);
    fresh_algorithms_.emplace(fresh.algorithm);
    BaseRecord* base = baseline_.find(fresh);
    std::vector<Finding> findings = base ? compare_matched(*base, fresh) : compare_new(fresh);
    apply_quarantine(fresh, findings);
    for (Finding& finding : findings) keep(std::move(finding));
  }

  std::vector<Finding> compare_matched(BaseRecord& base, const Snapshot& fresh) {
    base.seen = true;
    ++out_.matched;
    context_.limits = options_.thresholds.of(fresh.variant);
    PairResult result = compare_pair(base.snapshot, fresh, context_);
    out_.evidence += result.evidence;
    for (const NotSideBySide& each : result.uncompared) {
      ++out_.uncompared[{each.kind, each.aspect, each.reason}];
    }
    for (const std::string& aspect : result.lost) {
      Lost& lost = lost_[aspect];
      if (lost.records++ == 0) lost.repro = fresh.repro;
    }
    if (result.findings.empty() && result.lost.empty()) ++out_.unchanged;
    if (report::is_red(base.snapshot.status) && report::is_red(fresh.status)) ++out_.still_red;
    return std::move(result.findings);
  }

  /// A new case has no baseline to be worse than, but a red one must not pass unseen.
  std::vector<Finding> compare_new(const Snapshot& fresh) {
    ++out_.added;
    Finding finding;
    finding.case_id = fresh.case_id;
    finding.variant = fresh.variant;
    finding.aspect = "status";
    finding.old_value = "null";
    finding.new_value = json_text(fresh.status);
    finding.repro = fresh.repro;
    if (report::is_red(fresh.status) && fresh.status != "mistrusted") {
      finding.verdict = Verdict::worse;
      finding.detail = "a case without baseline: " + fresh.reason;
      return {finding};
    }
    if (base_variants_.contains(fresh.variant) || !new_variants_.emplace(fresh.variant).second) {
      return {};
    }
    finding.aspect = "coverage";
    finding.detail = "a variant that the baseline does not have";
    return {finding};
  }

  void apply_quarantine(const Snapshot& fresh, std::vector<Finding>& findings) {
    const QuarantineVerdict verdict =
        options_.quarantine.judge(fresh.variant, fresh.case_id, fresh.status);
    if (!verdict.entry) return;
    const QuarantineEntry& entry = *verdict.entry;
    used_.insert(entry.index);
    if (verdict.kind == QuarantineVerdict::Kind::excused) {
      for (Finding& finding : findings) {
        if (!finding.counts()) continue;
        finding.excuse = "quarantined until " + entry.expires + ": " + entry.reason + " (owner " +
                         entry.owner + ")";
      }
      return;
    }
    Finding finding;
    finding.verdict = Verdict::worse;
    finding.aspect = "quarantine";
    finding.case_id = fresh.case_id;
    finding.variant = fresh.variant;
    finding.old_value = json_text(entry.expected);
    finding.new_value = json_text(fresh.status);
    finding.detail = passing_text(entry);
    finding.repro = fresh.repro;
    findings.push_back(std::move(finding));
  }

  void keep(Finding finding) {
    if (finding.counts()) {
      if (const AcceptedChange* change = options_.accepted.match(finding)) {
        finding.excuse = "accepted: " + change->reason;
      }
    }
    out_.findings.push_back(std::move(finding));
  }

  bool nothing_in_common() const {
    return out_.matched == 0 && out_.base.plan_hash != out_.fresh.plan_hash;
  }

  /// One finding a vanished algorithm or variant, and one a case of those that are still there.
  void add_vanished() {
    std::map<std::string, std::pair<std::int64_t, const Snapshot*>> whole;
    const bool judged = out_.fresh.shard.empty() || out_.fresh.shard == out_.base.shard;
    for (const BaseRecord& record : baseline_.records()) {
      const Snapshot& base = record.snapshot;
      if (record.seen || !judged) continue;
      if (!out_.fresh.filter.empty() && !glob_match(out_.fresh.filter, base.variant)) {
        ++outside_filter_;
        continue;
      }
      ++out_.vanished;
      if (base.status == "unsupported" || base.status == "skipped") continue;
      std::string group;
      if (!fresh_algorithms_.contains(base.algorithm)) {
        group = std::string(base.algorithm) + "/*";
      } else if (!fresh_variants_.contains(base.variant)) {
        group = base.variant;
      }
      if (group.empty()) {
        add_coverage(base.case_id, std::string(base.variant), "", json_text(base.status), "null",
                     "the case vanished", base.repro);
      } else {
        auto& [count, first] = whole[group];
        if (count++ == 0) first = &base;
      }
    }
    for (const auto& [group, cases] : whole) {
      const bool algorithm = group.ends_with("/*");
      add_coverage("*", group, "", "{\"cases\":" + std::to_string(cases.first) + "}", "null",
                   algorithm ? "the algorithm vanished" : "the variant vanished",
                   cases.second->repro);
    }
  }

  void add_lost() {
    for (const auto& [aspect, lost] : lost_) {
      add_coverage("*", "*", aspect, "{\"records\":" + std::to_string(lost.records) + "}", "null",
                   aspect + " of these records: no longer there", lost.repro);
    }
  }

  void add_coverage(const std::string& case_id, const std::string& variant,
                    const std::string& tensor, std::string old_value, std::string new_value,
                    std::string detail, const std::string& repro) {
    Finding finding;
    finding.verdict = Verdict::regression;
    finding.aspect = "coverage";
    finding.case_id = case_id;
    finding.variant = variant;
    finding.tensor = tensor;
    finding.old_value = std::move(old_value);
    finding.new_value = std::move(new_value);
    finding.detail = std::move(detail);
    finding.repro = repro;
    keep(std::move(finding));
  }

  void add_notes() {
    for (const Side* side : {&out_.base, &out_.fresh}) note_side(*side);
    if (out_.base.plan_hash != out_.fresh.plan_hash) {
      out_.notes.push_back("the reports are of different plans; the common cases are compared");
    }
    if (!context_.environment_difference.empty()) {
      out_.notes.push_back("the environments differ: " + context_.environment_difference);
    }
    if (!out_.fresh.shard.empty() && out_.fresh.shard != out_.base.shard) {
      out_.notes.push_back("NEW is a shard (" + out_.fresh.shard +
                           "): vanished cases are not judged; merge the shards first");
    }
    if (outside_filter_ > 0) {
      out_.notes.push_back("NEW is filtered by " + out_.fresh.filter + ": " +
                           std::to_string(outside_filter_) +
                           " records of BASE outside of it are not judged");
    }
    for (const auto& notes : {options_.quarantine.notes(used_), options_.accepted.stale_notes()}) {
      out_.notes.insert(out_.notes.end(), notes.begin(), notes.end());
    }
  }

  void note_side(const Side& side) {
    const std::string who = &side == &out_.base ? "BASE" : "NEW";
    const std::string records =
        std::to_string(side.records) + " records" +
        (side.planned > side.records ? " of " + std::to_string(side.planned) + " planned" : "");
    if (!side.closed) {
      out_.notes.push_back(who + " has no summary: its run was cut short after " + records);
    } else if (side.interrupted) {
      out_.notes.push_back(who + " was interrupted after " + records);
    }
    if (side.repeated > 0) {
      out_.notes.push_back(
          who + " has " + std::to_string(side.repeated) +
          " repeated records of the same case, variant and device" +
          (who == "BASE" ? "; the first of each is compared" : "; each is compared"));
    }
  }

  Options options_;
  Comparison out_;
  Baseline baseline_;
  PairContext context_;
  std::set<std::string_view> base_variants_;
  std::set<std::string, std::less<>> fresh_variants_, fresh_algorithms_, new_variants_;
  std::unordered_set<std::size_t> seen_;
  std::map<std::string, Lost> lost_;
  std::set<std::size_t> used_;
  std::int64_t outside_filter_ = 0;
};

}  // namespace

std::int64_t Comparison::count(Verdict verdict) const {
  return std::count_if(findings.begin(), findings.end(), [&](const Finding& each) {
    return each.verdict == verdict && each.excuse.empty();
  });
}

std::int64_t Comparison::excused() const {
  return std::count_if(findings.begin(), findings.end(),
                       [](const Finding& each) { return !each.excuse.empty(); });
}

Outcome Comparison::outcome() const {
  Outcome outcome;
  outcome.finding = count(Verdict::worse) + count(Verdict::changed) > 0;
  outcome.regression = count(Verdict::regression) > 0;
  bool cross = false;
  for (const auto& [what, times] : uncompared) {
    cross = cross || std::get<0>(what) == Uncompared::cross_environment;
  }
  outcome.only_cross_environment = cross && evidence == 0 && !outcome.regression;
  outcome.nothing_matched = matched == 0 && (base.plan_hash != fresh.plan_hash ||
                                             (base.records == 0 && fresh.records == 0));
  return outcome;
}

Comparison compare_reports(const std::string& base, const std::string& fresh, Options options) {
  return Comparer(std::move(options)).run(base, fresh);
}

std::size_t accept_changes(Comparison& comparison, Accepted& accepted, const std::string& reason,
                           const std::string& tool) {
  std::size_t count = 0;
  for (Finding& finding : comparison.findings) {
    if (!is_acceptable(finding)) continue;
    accepted.add(finding, reason, tool);
    finding.excuse = "accepted: " + reason;
    ++count;
  }
  return count;
}

}  // namespace wm::compare
