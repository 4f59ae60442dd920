// Polygons drawn as masks, pixel by pixel as COCO's tools draw them; see kernels/detection/rasterize.py.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace thresher {

constexpr int64_t kFine = 5;  // COCO's tools trace outlines at five times the resolution

// The outline of one ring on the fine grid, and the positions at which the inside begins or ends, column by column.
class Drawing {
 public:
  Drawing(int64_t height, int64_t width) : height_(height), width_(width) {}

  // Add a ring of `points` points, x and y in turn.
  void add(const double* numbers, int64_t points) {
    turns_.clear();
    for (int64_t at = 0; at < points; at++) {
      const int64_t next = at + 1 < points ? at + 1 : 0;
      edge(fine(numbers[2 * at]), fine(numbers[2 * at + 1]), fine(numbers[2 * next]), fine(numbers[2 * next + 1]));
    }
    sort();
    keep_changes();
    rings_++;
  }

  // Append the run lengths of the union of all rings.
  void append_runs(std::vector<int64_t>& runs) {
    if (rings_ > 1) unite();
    int64_t before = 0;
    for (const auto& [place, change] : changes_) {
      if (place == height_ * width_) break;
      runs.push_back(place - before);
      before = place;
    }
    runs.push_back(height_ * width_ - before);
  }

 private:
  // Where the outline crosses the middle of a column.
  struct Turn {
    int64_t column, row;

    bool operator<(const Turn& other) const { return column < other.column; }
  };

  static int64_t fine(double number) { return static_cast<int64_t>(kFine * number + 0.5); }

  // Where an edge is `step` steps along its longer side, on the other axis.
  static int64_t moved(int64_t base, double slope, int64_t step) {
    return static_cast<int64_t>(static_cast<double>(base) + slope * static_cast<double>(step) + 0.5);
  }

  // The turns of an edge: where it steps from or to the fine column in the middle of a pixel's column.
  void edge(int64_t x, int64_t y, int64_t end_x, int64_t end_y) {
    const int64_t across = std::abs(end_x - x), down = std::abs(end_y - y);
    const bool flat = across >= down;
    if (flat ? x > end_x : y > end_y) {
      std::swap(x, end_x);
      std::swap(y, end_y);
    }
    const int64_t first = std::max<int64_t>(std::min(x, end_x), 0), last = std::max(x, end_x);
    for (int64_t pixel = (first + 2) / kFine; pixel < width_; pixel++) {
      const int64_t middle = kFine * pixel + kFine / 2;
      if (middle >= last) return;
      const int64_t row = flat ? flat_row(x, y, end_y, across, middle) : steep_row(x, y, end_x, down, middle);
      const double place = (static_cast<double>(row) + 0.5) / kFine - 0.5;
      const double top = std::min(std::max(place, 0.0), static_cast<double>(height_));
      turns_.push_back({pixel, static_cast<int64_t>(std::ceil(top))});
    }
  }

  // The upper one of the rows at which an edge leaves the column `middle`, and enters the next.
  static int64_t flat_row(int64_t x, int64_t y, int64_t end_y, int64_t steps, int64_t middle) {
    const double slope = static_cast<double>(end_y - y) / static_cast<double>(steps);
    return std::min(moved(y, slope, middle - x), moved(y, slope, middle - x + 1));
  }

  // The same of an edge with more rows than columns; it is walked down. The step is estimated, then corrected.
  static int64_t steep_row(int64_t x, int64_t y, int64_t end_x, int64_t steps, int64_t middle) {
    const double slope = static_cast<double>(end_x - x) / static_cast<double>(steps);
    const bool right = end_x > x;
    const auto crossed = [&](int64_t step) {
      const int64_t column = moved(x, slope, step);
      return right ? column > middle : column <= middle;
    };
    const double estimate = (static_cast<double>(middle - x) + 0.5) / slope;
    int64_t step = std::clamp<int64_t>(static_cast<int64_t>(estimate), 1, steps);
    while (step > 1 && crossed(step - 1)) step--;
    while (step < steps && !crossed(step)) step++;
    return y + step - 1;
  }

  // By columns, then by rows: an outline without gaps has few turns in each column between its first and its last.
  void sort() {
    places_.clear();
    if (turns_.empty()) return;
    const auto [low, high] = std::minmax_element(turns_.begin(), turns_.end());
    const int64_t first = low->column;
    starts_.assign(static_cast<size_t>(high->column - first) + 2, 0);
    for (const Turn& turn : turns_) starts_[static_cast<size_t>(turn.column - first) + 1]++;
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    places_.resize(turns_.size());
    for (const Turn& turn : turns_)
      places_[starts_[static_cast<size_t>(turn.column - first)]++] = turn.column * height_ + turn.row;
    size_t begin = 0;
    for (const size_t end : starts_) {
      std::sort(places_.begin() + static_cast<std::ptrdiff_t>(begin), places_.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
  }

  // Two turns at one place cancel.
  void keep_changes() {
    int64_t change = 1;
    const int64_t pixels = height_ * width_;
    for (size_t at = 0; at < places_.size();) {
      size_t end = at;
      while (end < places_.size() && places_[end] == places_[at]) end++;
      if ((end - at) % 2 && places_[at] < pixels) {
        changes_.emplace_back(places_[at], change);
        change = -change;
      }
      at = end;
    }
    if (change < 0) changes_.emplace_back(pixels, change);
  }

  // Leave the changes at which the first ring begins or the last one ends.
  void unite() {
    std::sort(changes_.begin(), changes_.end());
    size_t kept = 0;
    int64_t inside = 0;
    for (size_t at = 0; at < changes_.size();) {
      const int64_t place = changes_[at].first, before = inside;
      for (; at < changes_.size() && changes_[at].first == place; at++) inside += changes_[at].second;
      if ((before > 0) != (inside > 0)) changes_[kept++] = {place, 0};
    }
    changes_.resize(kept);
  }

  int64_t height_, width_, rings_ = 0;
  std::vector<Turn> turns_;
  std::vector<size_t> starts_;
  std::vector<int64_t> places_;
  std::vector<std::pair<int64_t, int64_t>> changes_;
};

}  // namespace thresher
