#include "reference/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "reference/reference.hpp"

namespace wm {
namespace {

std::atomic<unsigned> requested_threads{0};

std::int64_t thread_count() {
  const unsigned requested = requested_threads.load();
  return std::max(1u, requested != 0 ? requested : std::thread::hardware_concurrency());
}

}  // namespace

void set_reference_threads(unsigned threads) { requested_threads = threads; }

void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto work = [&] {
    try {
      for (std::int64_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  for (std::int64_t t = 1; t < std::min(thread_count(), count); ++t) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins
  if (error) std::rethrow_exception(error);
}

}  // namespace wm
