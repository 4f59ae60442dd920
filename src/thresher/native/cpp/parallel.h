// Rows divided among threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace thresher {

// Calls work(worker, begin, end) for blocks of rows until none is left; texts are uneven, so blocks are small.
// The first exception of a worker is thrown again here, after all have ended.
template <class Work>
void for_rows(int64_t rows, int64_t threads, Work work, int64_t block = 256) {
  if (threads <= 1 || rows <= block) {
    work(0, int64_t{0}, rows);
    return;
  }
  std::atomic<int64_t> next{0};
  std::vector<std::exception_ptr> errors(static_cast<size_t>(threads));
  auto run = [&](int64_t worker) {
    try {
      for (int64_t begin; (begin = next.fetch_add(block)) < rows;)
        work(worker, begin, std::min(rows, begin + block));
    } catch (...) {
      errors[static_cast<size_t>(worker)] = std::current_exception();
      next.store(rows);
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<size_t>(threads));
  try {
    for (int64_t worker = 1; worker < threads; worker++) others.emplace_back(run, worker);
  } catch (const std::system_error&) {  // no more threads: those that run share the rows
  }
  run(0);
  for (auto& other : others) other.join();
  for (auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace thresher
