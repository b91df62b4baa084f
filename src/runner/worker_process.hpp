#pragma once
// A forked process that makes records, so that a crash, an endless loop or an exhausted memory
// costs one record.
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpu/launch_note.hpp"

namespace wm {

/// One line each way over a socket.
class LineSocket {
 public:
  explicit LineSocket(int descriptor = -1) : descriptor_(descriptor) {}
  int descriptor() const { return descriptor_; }
  /// False when the other side is gone.
  bool send(const std::string& line) const;
  /// Waits for a whole line; false at the end.
  bool receive(std::string& line);
  /// Takes what has arrived, without waiting for more than the first byte; false at the end.
  bool fill();
  /// The next whole line of what has arrived.
  bool next(std::string& line);
  void close();

 private:
  int descriptor_;
  std::string buffer_;
  std::size_t taken_ = 0;
};

class WorkerProcess {
 public:
  /// What the child does with its socket; it ends when that returns.
  using Main = std::function<void(LineSocket&)>;

  WorkerProcess() = default;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  /// Forks; the child closes the descriptors of `others`. Throws EnvironmentError.
  void start(const Main& main, const std::vector<int>& others);
  bool running() const { return pid_ > 0; }
  LineSocket& socket() { return socket_; }
  /// Ends it at once if it still runs; gives how it ended ("killed by SIGSEGV (Segmentation
  /// fault)", "exited with code 3").
  std::string end();
  void kill() const;
  /// What it launched last.
  std::string last_words() const;

 private:
  pid_t pid_ = -1;
  LineSocket socket_;
  LaunchNote* note_ = nullptr;
};

/// Runs `work` in a child and gives its result, or throws what it threw (UsageError,
/// EnvironmentError): for what must not happen in a process that will fork.
nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& work);

}  // namespace wm
