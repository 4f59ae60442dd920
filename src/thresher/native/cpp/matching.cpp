// Overlapping boxes, and the greedy matching of predictions with true objects.
#include <algorithm>
#include <limits>
#include <vector>

#include "abi.h"
#include "ordering.h"

using namespace thresher;

namespace {

// Boxes image after image.
struct Boxes {
  Boxes(const int64_t* image_starts, int64_t edges, const int32_t* label_codes, int64_t labels,
        const double* box_corners, int64_t numbers)
      : starts(image_starts), label(label_codes), corners(box_corners) {
    require(edges > 0 && numbers == 4 * labels && starts[0] == 0 && starts[edges - 1] == labels);
    for (int64_t image = 1; image < edges; image++) require(starts[image - 1] <= starts[image]);
  }

  const int64_t* starts;
  const int32_t* label;
  const double* corners;
};

// Candidate true objects of the predictions; the rows of one prediction follow each other.
struct Pairs {
  const int64_t *prediction, *truth;
  const double* iou;
  const uint32_t* reach;
  int64_t rows;
};

// Where each prediction's pairs start; one more than there are predictions.
std::vector<int64_t> starts_of(const Pairs& pairs, int64_t predictions, int64_t truths) {
  std::vector<int64_t> starts(static_cast<size_t>(predictions) + 1);
  for (int64_t row = 0, before = 0; row < pairs.rows; row++) {
    const int64_t prediction = pairs.prediction[row];
    require(prediction >= before && prediction < predictions && pairs.truth[row] >= 0 && pairs.truth[row] < truths);
    starts[static_cast<size_t>(before = prediction) + 1]++;
  }
  for (size_t at = 1; at < starts.size(); at++) starts[at] += starts[at - 1];
  return starts;
}

// The predictions with a pair, group by group in the order of matching, so that memory is visited in order.
std::vector<uint32_t> turns_of(const Pairs& pairs, const int64_t* order, const int64_t* group, int64_t predictions) {
  std::vector<uint8_t> paired(static_cast<size_t>(predictions));
  for (int64_t row = 0; row < pairs.rows; row++) paired[static_cast<size_t>(pairs.prediction[row])] = 1;
  std::vector<uint32_t> turns;
  for (int64_t turn = 0; turn < predictions; turn++) {
    require(order[turn] >= 0 && order[turn] < predictions);
    if (paired[static_cast<size_t>(order[turn])]) turns.push_back(static_cast<uint32_t>(order[turn]));
  }
  StableOrder().sort(group, turns);
  return turns;
}

}  // namespace

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
      const int64_t first = theirs.starts[image], objects = theirs.starts[image + 1] - first;
      candidates.resize(static_cast<size_t>(objects) + 1);
      for (int64_t one = mine.starts[image]; one < mine.starts[image + 1]; one++) {
        const double* box = mine.corners + 4 * one;
        size_t some = 0;  // without branches: labels are equal, and boxes overlap, at random
        for (int64_t other = first; other < first + objects; other++) {
          candidates[some] = other;
          some += !same_label || mine.label[one] == theirs.label[other];
        }
        for (size_t at = 0; at < some; at++) {
          const double* target = theirs.corners + 4 * candidates[at];
          const double across = std::min(box[2], target[2]) - std::max(box[0], target[0]);
          const double down = std::min(box[3], target[3]) - std::max(box[1], target[1]);
          if (rows < room) {
            prediction[rows] = one;
            truth[rows] = candidates[at];
            area[rows] = across * down;
          }
          rows += static_cast<int64_t>(across > 0) & static_cast<int64_t>(down > 0);
        }
      }
    }
    count[0] = rows;
  });
}

// Intersection over union, which replaces the shared area, and over the prediction's area of pairs of boxes.
THRESHER_API int32_t thresher_box_shares(const int64_t* prediction, int64_t rows, const int64_t* truth,
                                         int64_t truth_rows, const double* areas, int64_t predictions,
                                         const double* true_areas, int64_t truths, double* shared,
                                         int64_t shared_rows, double* coverage, int64_t covered) {
  return guarded([&] {
    require(truth_rows == rows && shared_rows == rows && covered == rows);
    for (int64_t row = 0; row < rows; row++) {
      require(prediction[row] >= 0 && prediction[row] < predictions && truth[row] >= 0 && truth[row] < truths);
      const double area = shared[row], mine = areas[prediction[row]];
      shared[row] = area / (mine + true_areas[truth[row]] - area);
      coverage[row] = area / mine;
    }
  });
}

// Give each prediction, in order, the best true object that is free at a threshold (a bit of `reach`): one that is not
// ignored before one that is, then the one with the larger overlap, then the first or the last one. Predictions and
// their candidates belong to one `group`, in which the order matters. `ignored` and the results `taken` and
// `took_ignored` have one column per range of areas; `partner` and `overlap` are those of the first range at the lowest
// threshold, and must hold -1 and 0.
THRESHER_API int32_t thresher_match_greedily(
    const int64_t* prediction, int64_t rows, const int64_t* truth, int64_t truth_rows, const double* iou,
    int64_t iou_rows, const uint32_t* reach, int64_t reach_rows, const int64_t* order, int64_t predictions,
    const int64_t* group, int64_t grouped, const uint8_t* ignored, int64_t ignored_size, const uint8_t* shared,
    int64_t truths, int64_t ranges, int64_t first, uint32_t* taken, int64_t taken_size, uint32_t* took_ignored,
    int64_t took_size, int64_t* partner, int64_t partners, double* overlap, int64_t overlaps) {
  return guarded([&] {
    const Pairs pairs{prediction, truth, iou, reach, rows};
    require(truth_rows == rows && iou_rows == rows && reach_rows == rows && grouped == predictions && ranges > 0);
    require(predictions <= std::numeric_limits<uint32_t>::max());
    require(ignored_size == truths * ranges && taken_size == predictions * ranges && took_size == taken_size);
    require(partners == predictions && overlaps == predictions);
    const std::vector<int64_t> starts = starts_of(pairs, predictions, truths);
    std::vector<int64_t> candidates;
    std::vector<uint32_t> used(static_cast<size_t>(truths * ranges));
    for (const int64_t one : turns_of(pairs, order, group, predictions)) {
      candidates.clear();
      for (int64_t row = starts[static_cast<size_t>(one)]; row < starts[static_cast<size_t>(one) + 1]; row++)
        if (reach[row]) candidates.push_back(row);
      if (candidates.size() > 1)
        std::sort(candidates.begin(), candidates.end(), [&](int64_t mine, int64_t theirs) {
          if (iou[mine] != iou[theirs]) return iou[mine] > iou[theirs];
          return first ? truth[mine] < truth[theirs] : truth[mine] > truth[theirs];
        });
      for (int64_t range = 0; range < ranges; range++) {
        uint32_t mine = 0, from_ignored = 0;
        for (const bool in_ignored : {false, true})
          for (const int64_t row : candidates) {
            const int64_t cell = truth[row] * ranges + range;
            if ((ignored[cell] != 0) != in_ignored) continue;
            const uint32_t fresh = reach[row] & ~used[static_cast<size_t>(cell)] & ~mine;
            if (!fresh) continue;
            mine |= fresh;
            if (in_ignored) from_ignored |= fresh;
            if (!shared[truth[row]]) used[static_cast<size_t>(cell)] |= fresh;
            if (range == 0 && (fresh & 1)) {
              partner[one] = truth[row];
              overlap[one] = iou[row];
            }
          }
        taken[one * ranges + range] = mine;
        took_ignored[one * ranges + range] = from_ignored;
      }
    }
  });
}

// Turn matches at the thresholds of `every`, predictions x ranges of areas, into hits and ignored ones: a prediction is
// ignored if its true object is, or if it has none and its own area is outside of the range (`limits`: lowest and
// highest area of each). Both arrays are changed.
THRESHER_API int32_t thresher_outcomes_by_area(const double* areas, int64_t predictions, const double* limits,
                                               int64_t n_limits, int64_t every, uint32_t* taken, int64_t taken_size,
                                               uint32_t* took_ignored, int64_t took_size) {
  return guarded([&] {
    const int64_t ranges = n_limits / 2;
    require(n_limits % 2 == 0 && taken_size == predictions * ranges && took_size == taken_size);
    for (int64_t one = 0, cell = 0; one < predictions; one++)
      for (int64_t range = 0; range < ranges; range++, cell++) {
        // Without branches: sizes of objects are random.
        const uint32_t outside = (areas[one] < limits[2 * range]) | (areas[one] > limits[2 * range + 1]);
        const uint32_t had = taken[cell], ignored = took_ignored[cell];
        taken[cell] = had & ~ignored;
        took_ignored[cell] = ignored | (static_cast<uint32_t>(every) & ~had & (0 - outside));
      }
  });
}
