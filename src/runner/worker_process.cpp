#include "runner/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "core/error.hpp"

namespace wm {
namespace {

void write_text(const char* file, const char* text) {
  const int descriptor = open(file, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  [[maybe_unused]] const ssize_t written = write(descriptor, text, std::strlen(text));
  close(descriptor);
}

/// The child ends with its parent, leaves Ctrl-C to it, and is the first to go when memory is
/// short.
void become_worker(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  write_text("/proc/self/oom_score_adj", "500");
}

std::string signal_text(int signal) {
  const char* name = sigabbrev_np(signal);
  const char* about = sigdescr_np(signal);
  std::string text = name ? std::string("SIG") + name : "signal " + std::to_string(signal);
  if (about) text += std::string(" (") + about + ")";
  return text;
}

}  // namespace

bool LineSocket::send(const std::string& line) const {
  const std::string text = line + '\n';
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t now = ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

bool LineSocket::fill() {
  char chunk[65536];
  ssize_t got = 0;
  do {
    got = recv(descriptor_, chunk, sizeof(chunk), 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  if (taken_ > 0) buffer_.erase(0, taken_);
  taken_ = 0;
  buffer_.append(chunk, static_cast<std::size_t>(got));
  return true;
}

bool LineSocket::next(std::string& line) {
  const std::size_t end = buffer_.find('\n', taken_);
  if (end == std::string::npos) return false;
  line.assign(buffer_, taken_, end - taken_);
  taken_ = end + 1;
  return true;
}

bool LineSocket::receive(std::string& line) {
  while (!next(line))
    if (!fill()) return false;
  return true;
}

void LineSocket::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  buffer_.clear();
  taken_ = 0;
}

WorkerProcess::~WorkerProcess() {
  end();
  if (note_ != nullptr) munmap(note_, sizeof(LaunchNote));
}

void WorkerProcess::start(const Main& main, const std::vector<int>& others) {
  if (note_ == nullptr) {
    void* page = mmap(nullptr, sizeof(LaunchNote), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw EnvironmentError("no memory for a worker process");
    note_ = static_cast<LaunchNote*>(page);
  }
  new (note_) LaunchNote;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw EnvironmentError(std::string("cannot make a socket for a worker process: ") +
                           std::strerror(errno));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    become_worker(parent);
    close(ends[0]);
    for (const int other : others) close(other);
    set_launch_note(note_);
    LineSocket socket(ends[1]);
    main(socket);
    _exit(0);
  }
  close(ends[1]);
  if (pid_ < 0) {
    close(ends[0]);
    throw EnvironmentError(std::string("cannot start a worker process: ") + std::strerror(errno));
  }
  socket_ = LineSocket(ends[0]);
}

void WorkerProcess::kill() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::string WorkerProcess::end() {
  if (pid_ <= 0) return {};
  socket_.close();
  int status = 0;
  // A worker whose socket is closed ends by itself; one that is busy does not see that.
  if (waitpid(pid_, &status, WNOHANG) == 0) {
    kill();
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return "killed by " + signal_text(WTERMSIG(status));
  return "exited with code " + std::to_string(WEXITSTATUS(status));
}

std::string WorkerProcess::last_words() const {
  return note_ == nullptr ? "no launch yet" : last_launch(*note_);
}

nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& work) {
  WorkerProcess child;
  child.start(
      [&](LineSocket& socket) {
        nlohmann::ordered_json answer;
        try {
          answer["result"] = work();
        } catch (const UsageError& error) {
          answer["usage"] = error.what();
        } catch (const std::exception& error) {
          answer["environment"] = error.what();
        }
        socket.send(answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      },
      {});
  std::string line;
  if (!child.socket().receive(line))
    throw EnvironmentError("a process that looked at the devices " + child.end());
  const auto answer = nlohmann::ordered_json::parse(line);
  if (answer.contains("usage")) throw UsageError(answer["usage"].get<std::string>());
  if (answer.contains("environment"))
    throw EnvironmentError(answer["environment"].get<std::string>());
  return answer["result"];
}

}  // namespace wm
