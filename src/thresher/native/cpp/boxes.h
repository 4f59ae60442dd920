// Labelled boxes of images, and the area that two of them share.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "parallel.h"

namespace thresher {

// Boxes image after image.
struct Boxes {
  Boxes(const int64_t* image_starts, int64_t edges, const int32_t* label_codes, int64_t labels,
        const double* box_corners, int64_t numbers)
      : starts(image_starts), label(label_codes), corners(box_corners) {
    require(numbers == 4 * labels);
    check_edges(starts, edges, labels);
  }

  // The positions from `begin` to `end` among others that have the label of a box; returns how many there are.
  size_t same_label(int64_t one, const Boxes& others, int64_t begin, int64_t end, std::vector<int64_t>& places) const {
    if (places.size() <= static_cast<size_t>(end - begin)) places.resize(static_cast<size_t>(end - begin) + 1);
    int64_t* written = places.data();
    const int32_t mine = label[one], *theirs = others.label;
    size_t some = 0;  // without branches: labels are equal at random
    for (int64_t other = begin; other < end; other++) {
      written[some] = other;
      some += mine == theirs[other];
    }
    return some;
  }

  // Width and height of the area that two boxes share; 0 or less if they share none.
  std::pair<double, double> shared_sides(int64_t one, const Boxes& others, int64_t other) const {
    const double *box = corners + 4 * one, *target = others.corners + 4 * other;
    return {std::min(box[2], target[2]) - std::max(box[0], target[0]),
            std::min(box[3], target[3]) - std::max(box[1], target[1])};
  }

  const int64_t* starts;
  const int32_t* label;
  const double* corners;
};

}  // namespace thresher
