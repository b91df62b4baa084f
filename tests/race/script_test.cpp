// Random accesses against the definition of a race: some pair of them overlaps, is unordered, and
// so on, checked pair by pair. Whatever shortcut the detector takes, its verdict must be the same.
#include "race/script.hpp"

#include <gtest/gtest.h>

#include <random>

#include "race/planted.hpp"

namespace wm {

const Script* script_to_run = nullptr;

namespace {

bool ordered(const Script& script, const ScriptAccess& a, const ScriptAccess& b) {
  if (a.block != b.block) return a.shared != 0;
  if (a.thread == b.thread) return true;
  const bool same_warp = a.thread / 32 == b.thread / 32;
  for (int step = std::min(a.step, b.step); step < std::max(a.step, b.step); ++step)
    if (same_warp || script.barrier[static_cast<std::size_t>(step)]) return true;
  return false;
}

bool race(const Script& script, const ScriptAccess& a, const ScriptAccess& b) {
  const bool overlap =
      a.shared == b.shared && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  const bool conflict = a.kind != b.kind || a.kind == ScriptAccess::kWrite;
  return overlap && conflict && !ordered(script, a, b);
}

bool has_race(const Script& script) {
  for (int i = 0; i < script.count; ++i)
    for (int j = 0; j < i; ++j)
      if (race(script, script.accesses[static_cast<std::size_t>(i)],
               script.accesses[static_cast<std::size_t>(j)]))
        return true;
  return false;
}

std::string text(const Script& script) {
  std::string text;
  for (int i = 0; i < script.count; ++i) {
    const ScriptAccess& a = script.accesses[static_cast<std::size_t>(i)];
    text += "\n  block " + std::to_string(a.block) + " step " + std::to_string(a.step) +
            " thread " + std::to_string(a.thread) + (a.shared != 0 ? " shared " : " global ") +
            (a.kind == ScriptAccess::kRead    ? "read "
             : a.kind == ScriptAccess::kWrite ? "write "
                                              : "atomic ") +
            std::to_string(a.bytes) + " at " + std::to_string(a.offset);
  }
  for (int step = 0; step < script.steps; ++step)
    text += script.barrier[static_cast<std::size_t>(step)] ? " [barrier]" : " [syncwarp]";
  return text;
}

/// Programs of few addresses and, mostly, few writers: about half of them have a race.
class Programs {
 public:
  Programs(unsigned seed, unsigned least_bytes) : random_(seed), least_bytes_(least_bytes) {}

  Script next() {
    Script script;
    script.steps = 1 + static_cast<int>(below(4));
    for (bool& barrier : script.barrier) barrier = below(3) != 0;
    script.count = 2 + static_cast<int>(below(script.accesses.size() - 2));
    const unsigned writes = std::array{0U, 3U, 10U, 30U}[below(4)];
    const unsigned atomics = std::array{0U, 0U, 5U, 60U}[below(4)];
    const unsigned shared = std::array{0U, 100U, 50U}[below(3)];
    const unsigned threads = std::array{4U, 34U, 70U, Script::kThreads}[below(4)];
    const unsigned units = 1 + below(Script::kBytes / 16);
    for (int i = 0; i < script.count; ++i) {
      ScriptAccess& a = script.accesses[static_cast<std::size_t>(i)];
      a.block = static_cast<std::uint8_t>(below(Script::kBlocks));
      a.step = static_cast<std::uint8_t>(below(static_cast<unsigned>(script.steps)));
      a.thread = static_cast<std::uint8_t>(below(threads));
      a.shared = below(100) < shared;
      a.kind = below(100) < atomics  ? ScriptAccess::kAtomic
               : below(100) < writes ? ScriptAccess::kWrite
                                     : ScriptAccess::kRead;
      a.bytes = static_cast<std::uint8_t>(a.kind == ScriptAccess::kAtomic ? 4 : width());
      a.offset = static_cast<std::uint8_t>(below(16 * units / a.bytes) * a.bytes);
    }
    return script;
  }

 private:
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }
  unsigned width() {
    for (;;)
      if (const unsigned bytes = 1U << below(5); bytes >= least_bytes_) return bytes;
  }

  std::mt19937 random_;
  unsigned least_bytes_;
};

constexpr int kPrograms = 4000;

struct Verdicts {
  int races = 0, missed = 0;
};

/// Runs programs of accesses of `least_bytes` and more on a buffer of elements of `element_bytes`.
/// No race may be reported where there is none.
Verdicts run_programs(unsigned seed, unsigned least_bytes, unsigned element_bytes) {
  test::PlantedRun run(element_bytes);
  Programs programs(seed, least_bytes);
  Verdicts verdicts;
  for (int i = 0; i < kPrograms; ++i) {
    const Script script = programs.next();
    script_to_run = &script;
    const bool expected = has_race(script);
    verdicts.races += expected;
    const Schedule schedule = i % 3 == 0   ? Schedule{}
                              : i % 3 == 1 ? Schedule{Schedule::Kind::reverse, 0}
                                           : Schedule{Schedule::Kind::random, 7};
    const std::string report = run("script", schedule);
    if (!report.empty()) {
      EXPECT_TRUE(report.starts_with("race at script.cu:") ||
                  report.starts_with("race at memory.hpp:"))
          << report;
      EXPECT_TRUE(expected) << "program " << i << ": " << report << text(script);
    } else if (expected && verdicts.missed++ == 0 && least_bytes >= 4) {
      ADD_FAILURE() << "program " << i << ", " << schedule.to_string() << ": missed"
                    << text(script);
    }
    if (::testing::Test::HasFailure()) break;
  }
  return verdicts;
}

TEST(Script, WordsAndWiderAreExact) {
  const Verdicts verdicts = run_programs(1, 4, 4);
  EXPECT_EQ(verdicts.missed, 0);
  EXPECT_GT(verdicts.races, kPrograms / 4);
  EXPECT_LT(verdicts.races, kPrograms * 3 / 4);
}

TEST(Script, HalfWordBuffers) {
  const Verdicts verdicts = run_programs(2, 2, 2);
  EXPECT_LT(verdicts.missed, kPrograms / 100);
}

// Threads that share a word of shared memory byte by byte: two of them are told apart.
TEST(Script, BytesAreNeverReportedWrongly) {
  const Verdicts verdicts = run_programs(3, 1, 1);
  EXPECT_LT(verdicts.missed, kPrograms / 50);
  run_programs(4, 1, 4);
}

}  // namespace
}  // namespace wm
