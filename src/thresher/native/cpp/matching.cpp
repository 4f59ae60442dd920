// Overlapping boxes, and the greedy matching of predictions with true objects.
#include <algorithm>
#include <atomic>
#include <vector>

#include "parallel.h"

using namespace thresher;

namespace {

// Boxes image after image.
struct Boxes {
  Boxes(const int64_t* image_starts, int64_t edges, const int32_t* label_codes, int64_t labels,
        const double* box_corners, int64_t numbers)
      : starts(image_starts), label(label_codes), corners(box_corners) {
    require(numbers == 4 * labels);
    check_edges(starts, edges, labels);
  }

  const int64_t* starts;
  const int32_t* label;
  const double* corners;
};

// Candidate true objects of the predictions, sorted by prediction, and what decides between them.
struct Candidates {
  const int64_t *prediction, *truth;
  const double* iou;
  int64_t rows;
  const double* thresholds;
  int64_t n_thresholds;
  const double *scores, *ties, *areas;   // of the predictions; `ties` may be null
  const int64_t *starts, *true_starts;   // of the images
  const uint8_t *shared, *ignored;       // of the true objects; `ignored` has one column per range of areas
  const double* limits;                  // lowest and highest area of each range
  int64_t ranges;
  bool first;
};

// Matches the predictions of one image after the other. An image is small enough that sorting its predictions with a
// candidate costs less than an order of all predictions.
template <class Bits>
class Matcher {
 public:
  Matcher(const Candidates& given, Bits* hits, Bits* ignored, int64_t* partner, double* overlap)
      : given_(given), hits_(hits), ignored_(ignored), partner_(partner), overlap_(overlap) {}

  // Returns how many candidates these images have.
  int64_t match(int64_t begin, int64_t end) {
    const int64_t* rows = given_.prediction;
    const int64_t from = std::lower_bound(rows, rows + given_.rows, given_.starts[begin]) - rows;
    int64_t row = from;
    for (int64_t image = begin; image < end; image++) {
      row = read(image, row);
      std::sort(turns_.begin(), turns_.end());
      for (const Turn& turn : turns_)
        for (int64_t range = 0; range < given_.ranges; range++) take(turn, image, range);
    }
    return row - from;
  }

 private:
  struct Candidate {
    double iou;
    int64_t object;  // from the first true object of the image
    uint32_t reach;  // bits of the thresholds
  };

  struct Turn {
    double score, tie;
    int64_t prediction;
    size_t begin, end;  // of its candidates

    bool operator<(const Turn& other) const {
      if (score != other.score) return score > other.score;
      if (tie != other.tie) return tie > other.tie;
      return prediction < other.prediction;
    }
  };

  // Reads the candidates of an image from a row on; predictions without one have their final outcome then.
  int64_t read(int64_t image, int64_t row) {
    const int64_t first = given_.true_starts[image], objects = given_.true_starts[image + 1] - first;
    used_.assign(static_cast<size_t>(objects * given_.ranges), 0);
    candidates_.clear();
    turns_.clear();
    for (int64_t one = given_.starts[image]; one < given_.starts[image + 1]; one++) {
      leave_alone(one);
      const size_t begin = candidates_.size();
      for (; row < given_.rows && given_.prediction[row] == one; row++) {
        const int64_t object = given_.truth[row] - first;
        require(object >= 0 && object < objects);
        const uint32_t reach = reached(given_.iou[row]);
        if (reach) candidates_.push_back({given_.iou[row], object, reach});
      }
      if (candidates_.size() == begin) continue;
      sort_from(begin);
      turns_.push_back({given_.scores[one], given_.ties ? given_.ties[one] : 0.0, one, begin, candidates_.size()});
    }
    return row;
  }

  uint32_t reached(double iou) const {
    uint32_t count = 0;  // without branches: overlaps are random
    for (int64_t at = 0; at < given_.n_thresholds; at++) count += iou >= given_.thresholds[at];
    return static_cast<uint32_t>((uint64_t{1} << count) - 1);
  }

  void sort_from(size_t begin) {
    if (candidates_.size() - begin == 1) return;
    const bool first = given_.first;
    std::sort(candidates_.begin() + static_cast<ptrdiff_t>(begin), candidates_.end(),
              [first](const Candidate& mine, const Candidate& theirs) {
                if (mine.iou != theirs.iou) return mine.iou > theirs.iou;
                return first ? mine.object < theirs.object : mine.object > theirs.object;
              });
  }

  // The outcome of a prediction without a true object: ignored if its own area is outside of the range.
  void leave_alone(int64_t one) {
    const uint32_t every = static_cast<uint32_t>((uint64_t{1} << given_.n_thresholds) - 1);
    if (partner_) {
      partner_[one] = -1;
      overlap_[one] = 0.0;
    }
    for (int64_t range = 0; range < given_.ranges; range++) {
      const double *limits = given_.limits + 2 * range, area = given_.areas[one];
      const uint32_t outside = (area < limits[0]) | (area > limits[1]);  // sizes of objects are random, too
      hits_[one * given_.ranges + range] = 0;
      ignored_[one * given_.ranges + range] = static_cast<Bits>(every & (0 - outside));
    }
  }

  void take(const Turn& turn, int64_t image, int64_t range) {
    const int64_t first = given_.true_starts[image];
    uint32_t mine = 0, from_ignored = 0;
    for (const bool in_ignored : {false, true})
      for (size_t at = turn.begin; at < turn.end; at++) {
        const Candidate& candidate = candidates_[at];
        const int64_t cell = candidate.object * given_.ranges + range;
        if ((given_.ignored[first * given_.ranges + cell] != 0) != in_ignored) continue;
        uint32_t& used = used_[static_cast<size_t>(cell)];
        const uint32_t fresh = candidate.reach & ~used & ~mine;
        if (!fresh) continue;
        mine |= fresh;
        if (in_ignored) from_ignored |= fresh;
        if (!given_.shared[first + candidate.object]) used |= fresh;
        if (partner_ && range == 0 && (fresh & 1)) {
          partner_[turn.prediction] = first + candidate.object;
          overlap_[turn.prediction] = candidate.iou;
        }
      }
    const int64_t cell = turn.prediction * given_.ranges + range;
    hits_[cell] = static_cast<Bits>(mine & ~from_ignored);
    ignored_[cell] = static_cast<Bits>(from_ignored | (ignored_[cell] & ~mine));
  }

  const Candidates& given_;
  Bits *hits_, *ignored_;
  int64_t* partner_;
  double* overlap_;
  std::vector<Candidate> candidates_;
  std::vector<Turn> turns_;
  std::vector<uint32_t> used_;  // bits of the thresholds at which a true object is taken, by ranges of areas
};

template <class Bits>
void match_all(const Candidates& given, int64_t images, int64_t threads, void* hits, void* ignored, int64_t* partner,
               double* overlap) {
  const Matcher<Bits> one(given, static_cast<Bits*>(hits), static_cast<Bits*>(ignored), partner, overlap);
  std::vector<Matcher<Bits>> workers(static_cast<size_t>(std::max<int64_t>(threads, 1)), one);
  std::atomic<int64_t> rows{0};
  for_rows(images, threads, [&](int64_t worker, int64_t begin, int64_t end) {
    rows += workers[static_cast<size_t>(worker)].match(begin, end);
  });
  require(rows == given.rows);  // others are not sorted, or belong to predictions that do not exist
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

// Give each prediction, by falling score (then `ties`, then position), the best true object of its image that is free
// at a threshold: one that is not ignored before one that is, then the one with the larger overlap, then the first or
// the last one. The results have one column per range of areas, and bits of thresholds: those at which a prediction is
// a hit, and those at which it is ignored, because its true object is, or because it has none and its own area is
// outside of the range. `partner` and `overlap`, if there is room for them, are those of the first range at the lowest
// threshold; -1 and 0 if there is none.
THRESHER_API int32_t thresher_match_greedily(
    const int64_t* prediction, int64_t rows, const int64_t* truth, int64_t truth_rows, const double* iou,
    int64_t iou_rows, const double* thresholds, int64_t n_thresholds, const double* scores, int64_t predictions,
    const double* ties, int64_t n_ties, const double* areas, int64_t n_areas, const int64_t* starts, int64_t edges,
    const int64_t* true_starts, int64_t true_edges, const uint8_t* shared, int64_t truths, const uint8_t* ignored,
    int64_t ignored_size, const double* limits, int64_t n_limits, int64_t first, int64_t threads, void* hits,
    int64_t hits_size, int64_t hit_bytes, void* outcome_ignored, int64_t outcomes, int64_t ignored_bytes,
    int64_t* partner, int64_t partners, double* overlap, int64_t overlaps) {
  return guarded([&] {
    const int64_t ranges = n_limits / 2;
    require(truth_rows == rows && iou_rows == rows && n_limits % 2 == 0 && true_edges == edges);
    require(n_areas == predictions && (n_ties == 0 || n_ties == predictions) && ignored_size == truths * ranges);
    require(hits_size == predictions * ranges && outcomes == hits_size && hit_bytes == ignored_bytes);
    require(n_thresholds <= 8 * hit_bytes && (partners == predictions || !partners) && overlaps == partners);
    check_edges(starts, edges, predictions);
    check_edges(true_starts, edges, truths);
    const Candidates given{prediction, truth, iou, rows, thresholds, n_thresholds, scores, n_ties ? ties : nullptr,
                           areas, starts, true_starts, shared, ignored, limits, ranges, first != 0};
    const auto run = hit_bytes == sizeof(uint16_t) ? match_all<uint16_t> : match_all<uint32_t>;
    run(given, edges - 1, threads, hits, outcome_ignored, partners ? partner : nullptr, overlap);
  });
}
