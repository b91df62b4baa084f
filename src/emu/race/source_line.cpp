#include "emu/race/source_line.hpp"

#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>

extern char** environ;
extern "C" char __executable_start;

namespace wm::emu::race {
namespace {

/// Output of a command; empty when it cannot be run.
std::string output_of(const char* const* words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, words[0], &actions, nullptr, const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  if (failed == 0)
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  if (failed == 0) waitpid(child, nullptr, 0);
  return text;
}

std::string hex_text(std::uintptr_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Where the program was loaded: what its file calls address 0.
std::uintptr_t load_base() {
  std::uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<std::uintptr_t*>(result) = info->dlpi_addr;
        return 1;  // the program itself comes first
      },
      &base);
  return base;
}

bool is_language_header(const std::string& path) {
  return path.find("/src/gpu/") != std::string::npos || path.find("/src/emu/") != std::string::npos;
}

/// The first "path:line" of addr2line's inline chain that is not the kernel language.
std::string choose(const std::string& chain) {
  std::istringstream lines(chain);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find(" (discriminator"));
    if (line.empty() || line[0] == '?' || is_language_header(line)) continue;
    return line.substr(line.rfind('/') + 1);
  }
  return {};
}

std::string look_up(std::uint32_t place) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(&__executable_start) + place - load_base() - 1;
  const std::string text = hex_text(address);
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error);
  const char* words[] = {"addr2line", "-i", "-e", program.c_str(), text.c_str(), nullptr};
  const std::string line = choose(output_of(words));
  return line.empty() ? "code address " + text : line;
}

}  // namespace

std::string source_line(std::uint32_t place) {
  static std::mutex mutex;
  static std::map<std::uint32_t, std::string> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(place);
  if (found != known.end()) return found->second;
  return known[place] = look_up(place);
}

}  // namespace wm::emu::race
