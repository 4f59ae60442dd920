// Candidate true objects of predictions: given as pairs, or those whose boxes overlap.
#pragma once
#include "boxes.h"

namespace thresher {

struct Candidate {
  double overlap;
  int64_t object;  // from the first true object of the image
  uint32_t reach;  // bits of the thresholds
};

// Candidate true objects of the predictions as pairs, sorted by prediction.
struct GivenPairs {
  const int64_t *prediction, *truth;
  const double* iou;
  int64_t rows;
  int64_t row = 0, visited = 0;

  void start(int64_t one) { row = std::lower_bound(prediction, prediction + rows, one) - prediction; }

  // Writes the candidates of a prediction among the `objects` of its image from `first` on; returns how many reach the
  // lowest threshold.
  size_t write(int64_t one, int64_t first, int64_t objects, double lowest, Candidate* candidates) {
    size_t count = 0;
    for (int64_t before = -1; row < rows && prediction[row] == one; row++, visited++) {
      require(truth[row] > before && truth[row] >= first && truth[row] < first + objects);
      before = truth[row];
      if (iou[row] >= lowest) candidates[count++] = {iou[row], truth[row] - first, 0};
    }
    return count;
  }
};

// The same from boxes: true objects of the prediction's label that share an area with it.
struct BoxPairs {
  const Boxes &mine, &theirs;
  const double *areas, *true_areas;
  const uint8_t* crowd;  // the overlap with a crowd region is the share of the prediction
  std::vector<int64_t> places{};

  void start(int64_t) {}

  size_t write(int64_t one, int64_t first, int64_t objects, double lowest, Candidate* candidates) {
    const size_t some = mine.same_label(one, theirs, first, first + objects, places);
    size_t count = 0;  // without branches: boxes overlap at random
    for (size_t at = 0; at < some; at++) {
      const int64_t other = places[at];
      const auto [across, down] = mine.shared_sides(one, theirs, other);
      const double area = across * down;
      const double overlap = area / (crowd[other] ? areas[one] : areas[one] + true_areas[other] - area);
      candidates[count] = {overlap, other - first, 0};
      count += (across > 0) & (down > 0) & (area > 0) & (overlap >= lowest);
    }
    return count;
  }
};

}  // namespace thresher
