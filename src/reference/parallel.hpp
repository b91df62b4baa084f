#pragma once
// Independent chunks of work on all cores. Chunks are fixed by the problem, never by the number of
// threads, and write disjoint outputs, so results do not depend on the thread count.
#include <cstdint>
#include <functional>

namespace wm {

/// Calls body(i) once for each i in [0, count), in any order and from several threads; the first
/// exception is rethrown after all threads have ended.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body);

}  // namespace wm
