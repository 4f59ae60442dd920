// Masks as run lengths down the columns, the first of pixels outside.
#pragma once
#include <algorithm>
#include <cstdint>

#include "abi.h"

namespace thresher {

// Masks whose run lengths begin at `starts` of `counts`.
struct MaskList {
  MaskList(const int32_t* run_lengths, int64_t runs, const int64_t* first_runs, int64_t n_masks,
           const int64_t* numbers_of_runs, int64_t n_lengths)
      : counts(run_lengths), starts(first_runs), lengths(numbers_of_runs), masks(n_masks) {
    require(n_lengths == masks);
    for (int64_t mask = 0; mask < masks; mask++)
      require(starts[mask] >= 0 && lengths[mask] >= 0 && starts[mask] <= runs && lengths[mask] <= runs - starts[mask]);
  }

  const int32_t* first(int64_t mask) const { return counts + starts[mask]; }

  const int32_t* counts;
  const int64_t *starts, *lengths;
  int64_t masks;
};

// Calls visit(begin, end) for the runs inside a mask that have pixels.
template <class Visit>
void visit_inside(const int32_t* counts, int64_t length, Visit visit) {
  int64_t place = 0;
  for (int64_t at = 0; at + 1 < length; at += 2) {
    const int64_t begin = place + counts[at], end = begin + counts[at + 1];
    if (end > begin) visit(begin, end);
    place = end;
  }
}

// The smallest box around a mask, as left, top, right, bottom, and its number of pixels.
inline int64_t surround(const int32_t* counts, int64_t length, int64_t height, double* box) {
  int64_t pixels = 0, left = 0, top = 0, right = 0, bottom = 0, column = 0, next = height;
  visit_inside(counts, length, [&](int64_t begin, int64_t end) {
    require(height > 0 && begin >= 0);
    if (begin >= next && begin - next < height) {  // most runs are in the column after the last one
      column++;
      next += height;
    } else if (begin >= next) {
      column = begin / height;
      next = (column + 1) * height;
    }
    const int64_t row = begin - next + height;
    const bool within = end <= next;
    if (!pixels) left = column, top = height;
    right = (within ? column : (end - 1) / height) + 1;
    top = std::min(top, within ? row : 0);
    bottom = std::max(bottom, within ? row + end - begin : height);
    pixels += end - begin;
  });
  const int64_t sides[] = {left, top, right, bottom};
  for (int side = 0; side < 4; side++) box[side] = static_cast<double>(sides[side]);
  return pixels;
}

}  // namespace thresher
