// Pairs of boxes that share an area, and how much they overlap.
#include "boxes.h"

using namespace thresher;

// Pairs of boxes of one image (and label) that share an area, up to the size of the results; `count` is how many there
// are. They are sorted by prediction, then true object.
THRESHER_API int32_t thresher_box_overlaps(const int64_t* starts, int64_t edges, const int32_t* label, int64_t labels,
                                           const double* corners, int64_t numbers, const int64_t* true_starts,
                                           int64_t true_edges, const int32_t* true_label, int64_t true_labels,
                                           const double* true_corners, int64_t true_numbers, int64_t same_label,
                                           int64_t* prediction, int64_t room, int64_t* truth, int64_t truth_room,
                                           double* area, int64_t area_room, int64_t* count, int64_t count_size) {
  return guarded([&] {
    const Boxes mine(starts, edges, label, labels, corners, numbers);
    const Boxes theirs(true_starts, true_edges, true_label, true_labels, true_corners, true_numbers);
    require(edges == true_edges && truth_room == room && area_room == room && count_size == 1);
    int64_t rows = 0;
    std::vector<int64_t> candidates;
    for (int64_t image = 0; image + 1 < edges; image++) {
      const int64_t first = theirs.starts[image], end = theirs.starts[image + 1];
      for (int64_t one = mine.starts[image]; one < mine.starts[image + 1]; one++) {
        const int64_t some = same_label ? static_cast<int64_t>(mine.same_label(one, theirs, first, end, candidates))
                                        : end - first;
        for (int64_t at = 0; at < some; at++) {
          const int64_t other = same_label ? candidates[static_cast<size_t>(at)] : first + at;
          const auto [across, down] = mine.shared_sides(one, theirs, other);
          if (rows < room) {  // without branches: boxes overlap at random
            prediction[rows] = one;
            truth[rows] = other;
            area[rows] = across * down;
          }
          rows += static_cast<int64_t>(across > 0) & static_cast<int64_t>(down > 0);
        }
      }
    }
    count[0] = rows;
  });
}

// Intersection over union, which replaces the shared area, and over the prediction's area of pairs of boxes; the latter
// only if there is room for it.
THRESHER_API int32_t thresher_box_shares(const int64_t* prediction, int64_t rows, const int64_t* truth,
                                         int64_t truth_rows, const double* areas, int64_t predictions,
                                         const double* true_areas, int64_t truths, double* shared,
                                         int64_t shared_rows, double* coverage, int64_t covered) {
  return guarded([&] {
    require(truth_rows == rows && shared_rows == rows && (covered == rows || !covered));
    for (int64_t row = 0; row < rows; row++) {
      require(prediction[row] >= 0 && prediction[row] < predictions && truth[row] >= 0 && truth[row] < truths);
      const double area = shared[row], mine = areas[prediction[row]];
      shared[row] = area / (mine + true_areas[truth[row]] - area);
      if (covered) coverage[row] = area / mine;
    }
  });
}
