// google-benchmark's JSON, for dashboards that read it.
#include "report/formats.hpp"
#include "report/names.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// google-benchmark's context, as far as the report knows it.
json benchmark_context(const json& header) {
  const json& environment = object_of(header, "environment");
  const json& host = object_of(environment, "host");
  const json& device = object_of(environment, "device");
  json context = json::object();
  for (const auto& [name, value] : {std::pair{"date", text_of(header, "started")},
                                    std::pair{"host_name", text_of(host, "name")}}) {
    if (!value.empty()) context[name] = value;
  }
  const auto command = header.find("command");
  context["executable"] =
      command != header.end() && command->is_array() && !command->empty() ? command->front() : "";
  if (host.contains("threads")) context["num_cpus"] = host["threads"];
  context["library_build_type"] = "release";
  context["json_schema_version"] = 1;
  context["warpmark_version"] = text_of(object_of(environment, "tool"), "version");
  context["plan_hash"] = text_of(header, "plan_hash");
  context["device"] = text_of(device, "id");
  context["device_name"] = text_of(device, "name");
  return context;
}

/// "matmul/naive/f32.f32.f32/m=17/n=33/recipe=exact".
std::string benchmark_name(const json& record) {
  std::string name = short_case(record);
  for (char& c : name) c = c == ' ' ? '/' : c;
  return text_of(record, "variant") + "/" + name;
}

/// Whether the record says anything about speed: it was timed, or could not be.
bool tells_speed(const json& record) {
  return object_of(record, "timing").contains("median_ns") || text_of(record, "status") != "passed";
}

void add_measures(const json& record, json& run) {
  const json& timing = object_of(record, "timing");
  const json& throughput = object_of(record, "throughput");
  const double ns = number_of(timing, "median_ns");
  run["iterations"] = static_cast<std::int64_t>(number_of(timing, "samples"));
  run["real_time"] = ns;
  run["cpu_time"] = ns;
  run["time_unit"] = "ns";
  if (ns > 0 && throughput.contains("bytes"))
    run["bytes_per_second"] = number_of(throughput, "bytes") / ns * 1e9;
  if (ns > 0 && throughput.contains("flops"))
    run["items_per_second"] = number_of(throughput, "flops") / ns * 1e9;
  if (flag_of(throughput, "emulated", false)) run["label"] = "emulated";
}

void add_outcome(const json& record, json& run) {
  const std::string status = text_of(record, "status"), reason = text_of(record, "reason");
  const std::string message = status + (reason.empty() ? "" : ": " + reason);
  if (is_red(status)) {
    run["error_occurred"] = true;
    run["error_message"] = message;
  } else if (status != "passed") {
    run["skipped"] = true;
    run["skip_message"] = message;
  }
}

class GbenchRenderer : public Renderer {
 public:
  explicit GbenchRenderer(std::ostream& target) : target_(target) {}

  void header(const json& header) override {
    target_ << "{\n\"context\": " << dumped(benchmark_context(header)) << ",\n\"benchmarks\": [";
  }

  void record(const json& record) override {
    if (!tells_speed(record)) return;
    const std::string name = names_.unique(benchmark_name(record));
    json run{{"name", name},
             {"family_index", written_},
             {"per_family_instance_index", 0},
             {"run_name", name},
             {"run_type", "iteration"},
             {"repetitions", 1},
             {"repetition_index", 0},
             {"threads", 1}};
    add_outcome(record, run);
    add_measures(record, run);
    target_ << (written_++ == 0 ? "\n" : ",\n") << dumped(run);
  }

  void summary(const json&) override {}
  void end() override { target_ << "\n]\n}\n"; }

 private:
  std::ostream& target_;
  UniqueNames names_;
  std::int64_t written_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> make_gbench(std::ostream& target) {
  return std::make_unique<GbenchRenderer>(target);
}

}  // namespace wm::report
