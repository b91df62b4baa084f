#include "runner/worker_pool.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "core/error.hpp"
#include "core/text.hpp"
#include "runner/case_worker.hpp"

namespace wm {
namespace {

// What a worker says: the letter, a blank, then a record's index, its text, or a message.
constexpr char kStarted = 'S', kRecord = 'R', kDone = 'D', kUnusable = 'U';
constexpr int kPollMs = 100;  // how soon a stop is noticed when no signal interrupts

}  // namespace

WorkerPool::WorkerPool(unsigned workers, WorkerProcess::Main main, Events events,
                       const std::atomic<bool>& stop)
    : main_(std::move(main)), events_(std::move(events)), stop_(stop) {
  for (unsigned i = 0; i < std::max(1U, workers); ++i)
    workers_.push_back(std::make_unique<Worker>());
}

void WorkerPool::start(Worker& worker) {
  std::vector<int> others;
  for (const auto& other : workers_)
    if (other.get() != &worker && other->process.running())
      others.push_back(other->process.socket().descriptor());
  worker.process.start(main_, others);
}

/// A worker may open its device, or take up the next record: that has a limit too, for one that was
/// stopped says nothing.
void WorkerPool::allow_pause(Worker& worker) {
  constexpr auto kPause = std::chrono::seconds(30);
  worker.deadline =
      worker.assignment.settings.timeout_s > 0 ? Clock::now() + kPause : Clock::time_point::max();
}

/// Sends what is left of the worker's assignment.
void WorkerPool::begin(Worker& worker) {
  if (!worker.process.running()) start(worker);
  worker.busy = true;
  worker.started = false;
  Assignment left = worker.assignment;
  left.records.erase(left.records.begin(), left.records.begin() + static_cast<long>(worker.at));
  allow_pause(worker);
  worker.process.socket().send(to_line(left));  // where it fails, the end of the socket tells
}

unsigned WorkerPool::busy() const {
  unsigned count = 0;
  for (const auto& worker : workers_) count += worker->busy;
  return count;
}

WorkerPool::Worker* WorkerPool::free_worker() {
  for (const auto& worker : workers_)
    if (!worker->busy) return worker.get();
  return nullptr;
}

void WorkerPool::submit(Assignment assignment, bool alone) {
  Worker* worker = nullptr;
  while (!stop_ && ((worker = free_worker()) == nullptr || (alone && busy() > 0))) wait();
  if (stop_) return;
  worker->assignment = std::move(assignment);
  worker->at = 0;
  begin(*worker);
  while (alone && !stop_ && worker->busy) wait();
}

void WorkerPool::finish() {
  while (!stop_ && busy() > 0) wait();
}

int WorkerPool::wait_ms() const {
  Clock::time_point first = Clock::time_point::max();
  for (const auto& worker : workers_)
    if (worker->busy) first = std::min(first, worker->deadline);
  if (first == Clock::time_point::max()) return kPollMs;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, kPollMs));
}

/// Until something has arrived, a deadline has passed, or a moment is over.
void WorkerPool::wait() {
  std::vector<pollfd> sockets;
  std::vector<Worker*> polled;
  for (const auto& worker : workers_) {
    if (!worker->busy) continue;
    sockets.push_back({worker->process.socket().descriptor(), POLLIN, 0});
    polled.push_back(worker.get());
  }
  const int ready = poll(sockets.data(), sockets.size(), wait_ms());
  if (stop_) return;
  for (std::size_t i = 0; ready > 0 && i < polled.size(); ++i)
    if (sockets[i].revents != 0) read(*polled[i]);
  for (Worker* worker : polled)
    if (worker->busy && Clock::now() >= worker->deadline) replace(*worker, true);
}

void WorkerPool::read(Worker& worker) {
  if (!worker.process.socket().fill()) return replace(worker, false);
  std::string line;
  while (worker.busy && worker.process.socket().next(line)) message(worker, line);
}

void WorkerPool::message(Worker& worker, const std::string& line) {
  const std::string rest = line.size() > 2 ? line.substr(2) : "";
  switch (line.empty() ? ' ' : line[0]) {
    case kStarted: {
      worker.started = true;
      const double limit = worker.assignment.settings.timeout_s;
      worker.deadline = limit > 0 ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                       std::chrono::duration<double>(limit))
                                  : Clock::time_point::max();
      return;
    }
    case kRecord:
      ++worker.at;
      worker.started = false;
      allow_pause(worker);
      deaths_in_a_row_ = 0;
      events_.record(nlohmann::ordered_json::parse(rest));
      return;
    case kDone:
      worker.busy = false;
      return;
    case kUnusable:
      throw EnvironmentError(rest);
    default:
      throw std::logic_error("a worker said: " + line);
  }
}

/// The worker is gone, or is to go. The record it was making is lost, the others are not.
void WorkerPool::replace(Worker& worker, bool timed_out) {
  constexpr int kMostDeaths = 3;
  if (timed_out) worker.process.kill();
  const std::string words = worker.process.last_words();
  const std::string how = worker.process.end();
  if (!worker.started) {
    if (++deaths_in_a_row_ >= kMostDeaths)
      throw EnvironmentError("worker processes end before they have made a record: the last " +
                             how);
    return begin(worker);
  }
  std::string reason = "the worker process was " + how;
  if (how.starts_with("exited")) reason = "the worker process " + how;
  if (how.find("SIGKILL") != std::string::npos) reason += ", perhaps for want of memory";
  if (timed_out)
    reason = "timeout: ran longer than " + format_real(worker.assignment.settings.timeout_s) + " s";
  events_.lost(worker.assignment, worker.assignment.records[worker.at],
               reason + "; last launch: " + words);
  ++worker.at;
  worker.busy = false;
  if (worker.at < worker.assignment.records.size()) begin(worker);
}

void report_unusable(const LineSocket& socket, std::string reason) {
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  socket.send(std::string{kUnusable, ' '} + reason);
}

void serve_assignments(LineSocket& socket, CaseWorker& worker) {
  std::string line;
  const auto say = [&](char what, const std::string& text) {
    return socket.send(std::string{what, ' '} + text);
  };
  while (socket.receive(line)) {
    const ReceivedAssignment work = parse_assignment(line);
    for (const auto& [index, variant] : work.records) {
      if (!say(kStarted, std::to_string(index))) return;
      const auto record = worker.run(work.item, work.settings, index, variant);
      const auto replace = nlohmann::ordered_json::error_handler_t::replace;
      if (!say(kRecord, record.dump(-1, ' ', false, replace)) || worker.spent()) return;
    }
    if (!say(kDone, "")) return;
  }
}

}  // namespace wm
