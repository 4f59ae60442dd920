// Rows divided among threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "abi.h"

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

// The labels with the most rows first, so that no thread is left with one of them; `starts` has one more than labels.
inline std::vector<int64_t> largest_first(const int64_t* starts, int64_t labels) {
  std::vector<int64_t> order(static_cast<size_t>(labels));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t one, int64_t other) {
    return starts[one + 1] - starts[one] > starts[other + 1] - starts[other];
  });
  return order;
}

// Starts of groups of rows rise from 0 to the number of rows.
inline void check_edges(const int64_t* starts, int64_t edges, int64_t rows) {
  require(edges > 0 && starts[0] == 0 && starts[edges - 1] == rows);
  for (int64_t at = 1; at < edges; at++) require(starts[at - 1] <= starts[at]);
}

}  // namespace thresher
