#pragma once
// Text helpers of the renderers: reading fields that may be absent, and short texts for records.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace wm::report {

/// A string field, empty where absent.
std::string text_of(const nlohmann::ordered_json& object, std::string_view key);
/// A number, also written "NaN" or "Infinity"; `fallback` where absent.
double number_of(const nlohmann::ordered_json& object, std::string_view key, double fallback = 0);
/// A true or false; `fallback` where absent.
bool flag_of(const nlohmann::ordered_json& object, std::string_view key, bool fallback);
/// The object under `key`, or an empty one.
const nlohmann::ordered_json& object_of(const nlohmann::ordered_json& object, std::string_view key);

/// Three significant digits ("0.123", "1.23e+06", "NaN").
std::string short_number(double value);
/// "12.3 us", "1.20 ms", "3.40 s".
std::string duration(double nanoseconds);
/// The problem without what its variant already says and without keys at their usual defaults.
std::string short_problem(const nlohmann::ordered_json& record);

/// "1024 sectors, 100 % used; 512 wavefronts, 0 conflicts; 32 lanes a request; 8 barriers; 0
/// atomics; 0 mma" of a record's or a kernel's counters, or why there are none.
std::string counters_text(const nlohmann::ordered_json& counters);
/// Of the sectors that loads, stores and copies requested, the share that would do; 100 for none.
double used_percent(const nlohmann::ordered_json& counters);
/// Active lanes of the average request to memory; 0 without requests.
double lanes_a_request(const nlohmann::ordered_json& counters);

/// The short problem and what the case says beyond it (recipe, seed, schedule, config, inputs);
/// a long one is cut and told apart by its case_id.
std::string short_case(const nlohmann::ordered_json& record);
/// What a variant says beyond op and algorithm: "f32.f32.f32/nchw".
std::string variant_types(const nlohmann::ordered_json& record);

/// Largest value of a field of `accuracy` over the tensors of a record ("max_ulp"; NaN where one
/// is), -1 without accuracy.
double largest_accuracy(const nlohmann::ordered_json& record, std::string_view field);
/// Largest bound utilisation over the tensors of a record, -1 without accuracy.
double worst_utilisation(const nlohmann::ordered_json& record);
/// Smallest detectability over the tensors, -1 without accuracy.
double least_detectability(const nlohmann::ordered_json& record);
/// "'d' worst at [0,16,16]: got 0, want 1408, bound 0.5" of the tensor with the largest bound
/// utilisation; empty where nothing was compared.
std::string worst_element(const nlohmann::ordered_json& record);
/// "rerun same, schedule differs (8 elements), workspace_poison not run"; a tensor that differs
/// speaks for its probe.
std::string probes_text(const nlohmann::ordered_json& record);
/// What a probe says over all tensors: "differs" before "same" before "not_run".
std::string probe_verdict(const nlohmann::ordered_json& tensors);
/// "same" or "differs", "-" where no probe ran.
std::string observed_word(const nlohmann::ordered_json& record);
/// A word of a command line as a POSIX shell reads it back.
std::string shell_word(const std::string& word);

/// Statuses that stand for a finding: failed, convention, nondeterministic, error, mistrusted.
bool is_red(std::string_view status);

}  // namespace wm::report
