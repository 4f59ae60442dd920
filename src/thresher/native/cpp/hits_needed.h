// How many hits reach a recall.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace thresher {

// The smallest weight of hits that reaches each recall, for every weight of true objects that occurred: most vectors of
// weights, ranges of areas and labels share it.
class HitsNeeded {
 public:
  HitsNeeded(const double* recalls, size_t points) : recalls_(recalls), points_(points) {}

  // Valid until the next `forget`.
  const int32_t* of(int32_t positives) {
    std::vector<int32_t>& table = tables_[positives];
    if (table.empty()) fill(table, static_cast<double>(positives));
    return table.data();
  }

  void forget() {
    if (tables_.size() > kMostTables) tables_.clear();
  }

 private:
  void fill(std::vector<int32_t>& table, double positives) const {
    table.resize(points_);
    for (size_t point = 0; point < points_; point++) {
      const double recall = recalls_[point];
      int32_t hits = std::max(static_cast<int32_t>(recall * positives) - 1, 0);
      while (static_cast<double>(hits) / positives < recall) hits++;
      table[point] = hits;
    }
  }

  static constexpr size_t kMostTables = 1 << 14;  // 7 MB for 101 recalls

  const double* recalls_;
  size_t points_;
  std::unordered_map<int32_t, std::vector<int32_t>> tables_;
};

}  // namespace thresher
