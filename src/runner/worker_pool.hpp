#pragma once
// Several worker processes that make records. One that dies or runs too long costs the record it
// was making; another takes its place.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runner/assignment.hpp"
#include "runner/worker_process.hpp"

namespace wm {

class WorkerPool {
 public:
  struct Events {
    std::function<void(nlohmann::ordered_json)> record;
    /// The record a worker did not live to make, and why.
    std::function<void(const Assignment&, const PlannedRecord&, const std::string& reason)> lost;
  };

  /// `main` runs in each worker (serve_assignments). `stop` ends the work: submit and finish then
  /// return soon, and what is being made is lost.
  WorkerPool(unsigned workers, WorkerProcess::Main main, Events events,
             const std::atomic<bool>& stop);

  /// Waits for a free worker and hands it the assignment. `alone`: waits until no other is busy,
  /// and none becomes so before it is done. Throws EnvironmentError when workers cannot do their
  /// work.
  void submit(Assignment assignment, bool alone = false);
  /// Waits until all is done.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    WorkerProcess process;
    Assignment assignment;
    std::size_t at = 0;  ///< first record not made yet
    bool busy = false;
    bool started = false;  ///< it has said that it makes the record `at`
    Clock::time_point deadline;
  };

  void start(Worker& worker);
  void begin(Worker& worker);
  void allow_pause(Worker& worker);
  Worker* free_worker();
  unsigned busy() const;
  void wait();
  int wait_ms() const;
  void read(Worker& worker);
  void message(Worker& worker, const std::string& line);
  void replace(Worker& worker, bool timed_out);

  WorkerProcess::Main main_;
  Events events_;
  const std::atomic<bool>& stop_;
  std::vector<std::unique_ptr<Worker>> workers_;
  int deaths_in_a_row_ = 0;  ///< of workers that had made no record
};

/// The main function of a worker: makes the records of what arrives until the socket is closed.
class CaseWorker;
void serve_assignments(LineSocket& socket, CaseWorker& worker);
/// What a worker says that cannot do its work.
void report_unusable(const LineSocket& socket, std::string reason);

}  // namespace wm
