#pragma once
// Small reports for the tests of the comparison.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wm::compare {

using json = nlohmann::ordered_json;

inline json header(const std::string& plan = "a") {
  return {{"schema", "warpmark.header/1"},
          {"name", "quick"},
          {"plan_hash", std::string(64, plan.front())},
          {"planned", 2},
          {"stages", {"verify", "determinism", "throughput"}},
          {"command", {"warpmark", "run"}},
          {"environment", {{"device", {{"id", "emu"}, {"name", "H200"}, {"emulated", true}}}}}};
}

inline json summary(bool interrupted = false) {
  return {{"schema", "warpmark.summary/1"}, {"interrupted", interrupted}};
}

/// A passed record that has every part. `id` is the first digit of the case id.
inline json record(char id = '1', const std::string& algorithm = "naive") {
  const std::string case_id = id + std::string(15, '0');
  return {{"schema", "warpmark.record/1"},
          {"case_id", case_id},
          {"op", "matmul"},
          {"algorithm", algorithm},
          {"provider", "warpmark"},
          {"variant", "matmul/" + algorithm + "/f32.f32.f32"},
          {"config", "tile=8"},
          {"device", "emu"},
          {"problem", {{"m", 2}, {"math", "ieee"}}},
          {"recipe", "normal/1"},
          {"status", "passed"},
          {"reason", ""},
          {"workspace_bytes", 1024},
          {"repro", "warpmark run --case 'matmul " + algorithm + " " + id + "'"},
          {"claims",
           {{"acc", "f32"},
            {"tree_height", 19.0},
            {"error_formula", nullptr},
            {"deterministic", true},
            {"nondeterministic_reason", ""},
            {"bit_twin", true}}},
          {"accuracy", {{"d", {{"max_ulp", 2.0}, {"bound_utilisation", 0.25}}}}},
          {"determinism",
           {{"claimed", true},
            {"digests", {{"d", std::string(64, 'd')}}},
            {"probes", {{"rerun", {{"d", {{"verdict", "same"}, {"runs", 2}}}}}}}}},
          {"tree", {{"d", {{"height", 19}, {"hash", "abc"}}}}},
          {"timing", {{"method", "emulated"}, {"cache", "warm"}, {"median_ns", 5.0}}},
          {"throughput", {{"emulated", true}}},
          {"counters",
           {{"compiler", "gcc 12"},
            {"flags", "-O2"},
            {"atomics", 10},
            {"global_load_lanes", 64},
            {"kernels", {{{"kernel", "k"}, {"atomics", 10}}}}}}};
}

/// A folder that is gone when the test ends.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "compareXXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string text_of_report(const std::vector<json>& records, const json& head = header(),
                                  const json& end = summary()) {
  std::string text = head.dump() + "\n";
  for (const json& each : records) text += each.dump() + "\n";
  return text + end.dump() + "\n";
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace wm::compare
