// The greedy matching of predictions with true objects.
#include <limits>
#include <type_traits>

#include "candidates.h"

using namespace thresher;

namespace {

// What decides between the candidates.
struct Rules {
  const double* thresholds;
  int64_t n_thresholds;
  const double *scores, *ties, *areas;  // of the predictions; `ties` may be null
  const int64_t *starts, *true_starts;  // of the images
  const uint8_t *shared, *ignored;      // of the true objects; `ignored` has one column per range of areas
  const double* limits;                 // lowest and highest area of each range
  int64_t ranges;
  bool first;
};

struct Results {
  void *hits, *ignored;
  int64_t bytes;     // of an entry of `hits` and `ignored`
  int64_t* partner;  // may be null
  double* overlap;
};

// Matches the predictions of one image after the other. An image is small enough that sorting its predictions with a
// candidate costs less than an order of all predictions.
template <class Bits, class Pairs>
class Matcher {
 public:
  Matcher(const Rules& rules, const Pairs& pairs, const Results& results)
      : given_(rules), pairs_(pairs), hits_(static_cast<Bits*>(results.hits)),
        ignored_(static_cast<Bits*>(results.ignored)), partner_(results.partner), overlap_(results.overlap),
        lowest_(rules.n_thresholds ? rules.thresholds[0] : std::numeric_limits<double>::infinity()) {}

  const Pairs& pairs() const { return pairs_; }

  void match(int64_t begin, int64_t end) {
    pairs_.start(given_.starts[begin]);
    for (int64_t image = begin; image < end; image++) {
      read(image);
      std::sort(turns_.begin(), turns_.end());
      for (const Turn& turn : turns_)
        for (int64_t range = 0; range < given_.ranges; range++) take(turn, image, range);
    }
  }

 private:
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

  // Reads the candidates of an image; predictions without one have their final outcome then.
  void read(int64_t image) {
    const int64_t first = given_.true_starts[image], objects = given_.true_starts[image + 1] - first;
    used_.assign(static_cast<size_t>(objects * given_.ranges), 0);
    turns_.clear();
    leave_alone(given_.starts[image], given_.starts[image + 1]);
    size_t used = 0;
    for (int64_t one = given_.starts[image]; one < given_.starts[image + 1]; one++) {
      const size_t room = used + static_cast<size_t>(objects) + 1;
      if (candidates_.size() < room) candidates_.resize(2 * room);
      const size_t count = pairs_.write(one, first, objects, lowest_, &candidates_[used]);
      if (!count) continue;
      for (size_t at = used; at < used + count; at++) candidates_[at].reach = reached(candidates_[at].overlap);
      if (count > 1) sort_candidates(used, used + count);
      turns_.push_back({given_.scores[one], given_.ties ? given_.ties[one] : 0.0, one, used, used + count});
      used += count;
    }
  }

  uint32_t reached(double overlap) const {
    uint32_t count = 0;  // without branches: overlaps are random
    for (int64_t at = 0; at < given_.n_thresholds; at++) count += overlap >= given_.thresholds[at];
    return static_cast<uint32_t>((uint64_t{1} << count) - 1);
  }

  void sort_candidates(size_t begin, size_t end) {
    const bool first = given_.first;
    std::sort(candidates_.begin() + static_cast<ptrdiff_t>(begin), candidates_.begin() + static_cast<ptrdiff_t>(end),
              [first](const Candidate& mine, const Candidate& theirs) {
                if (mine.overlap != theirs.overlap) return mine.overlap > theirs.overlap;
                return first ? mine.object < theirs.object : mine.object > theirs.object;
              });
  }

  // The outcomes of predictions without a true object: ignored if their own area is outside of the range.
  void leave_alone(int64_t begin, int64_t end) {
    const uint32_t every = static_cast<uint32_t>((uint64_t{1} << given_.n_thresholds) - 1);
    const int64_t ranges = given_.ranges;
    if (partner_) {
      std::fill(partner_ + begin, partner_ + end, -1);
      std::fill(overlap_ + begin, overlap_ + end, 0.0);
    }
    std::fill(hits_ + begin * ranges, hits_ + end * ranges, Bits{0});
    for (int64_t range = 0; range < ranges; range++) {
      const double lowest = given_.limits[2 * range], highest = given_.limits[2 * range + 1];
      for (int64_t one = begin; one < end; one++) {
        const double area = given_.areas[one];
        const uint32_t outside = (area < lowest) | (area > highest);  // sizes of objects are random, too
        ignored_[one * ranges + range] = static_cast<Bits>(every & (0 - outside));
      }
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
          overlap_[turn.prediction] = candidate.overlap;
        }
      }
    const int64_t cell = turn.prediction * given_.ranges + range;
    hits_[cell] = static_cast<Bits>(mine & ~from_ignored);
    ignored_[cell] = static_cast<Bits>(from_ignored | (ignored_[cell] & ~mine));
  }

  const Rules& given_;
  Pairs pairs_;
  Bits *hits_, *ignored_;
  int64_t* partner_;
  double* overlap_;
  double lowest_;
  std::vector<Candidate> candidates_;
  std::vector<Turn> turns_;
  std::vector<uint32_t> used_;  // bits of the thresholds at which a true object is taken, by ranges of areas
};

// Returns how many pairs all workers visited, if they are given.
template <class Bits, class Pairs>
int64_t match_as(const Rules& rules, const Pairs& pairs, int64_t images, int64_t threads, const Results& results) {
  const Matcher<Bits, Pairs> one(rules, pairs, results);
  std::vector<Matcher<Bits, Pairs>> workers(static_cast<size_t>(std::max<int64_t>(threads, 1)), one);
  for_rows(images, threads, [&](int64_t worker, int64_t begin, int64_t end) {
    workers[static_cast<size_t>(worker)].match(begin, end);
  });
  int64_t visited = 0;
  if constexpr (std::is_same_v<Pairs, GivenPairs>)
    for (const auto& worker : workers) visited += worker.pairs().visited;
  return visited;
}

template <class Pairs>
int64_t match_all(const Rules& rules, const Pairs& pairs, int64_t images, int64_t threads, const Results& results) {
  const auto run = results.bytes == sizeof(uint16_t) ? match_as<uint16_t, Pairs> : match_as<uint32_t, Pairs>;
  return run(rules, pairs, images, threads, results);
}

}  // namespace

// Give each prediction, by falling score (then `ties`, then position), the best true object of its image that is free
// at a threshold: one that is not ignored before one that is, then the one with the larger overlap, then the first or
// the last one. Candidates are the given pairs, or (`of_boxes`) boxes of one label that share an area, described by
// label, corners, area and crowd regions. The results have one column per range of areas, and bits of thresholds: those
// at which a prediction is a hit, and those at which it is ignored, because its true object is, or because it has none
// and its own area is outside of the range. `partner` and `overlap`, if there is room for them, are those of the first
// range at the lowest threshold; -1 and 0 if there is none.
THRESHER_API int32_t thresher_match_greedily(
    const int64_t* prediction, int64_t rows, const int64_t* truth, int64_t truth_rows, const double* iou,
    int64_t iou_rows, int64_t of_boxes, const int32_t* label, int64_t labels, const double* corners, int64_t numbers,
    const double* box_areas, int64_t n_box_areas, const int32_t* true_label, int64_t true_labels,
    const double* true_corners, int64_t true_numbers, const double* true_areas, int64_t n_true_areas,
    const uint8_t* crowd, int64_t n_crowd, const double* thresholds, int64_t n_thresholds, const double* scores,
    int64_t predictions, const double* ties, int64_t n_ties, const double* areas, int64_t n_areas,
    const int64_t* starts, int64_t edges, const int64_t* true_starts, int64_t true_edges, const uint8_t* shared,
    int64_t truths, const uint8_t* ignored, int64_t n_ignored, const double* limits, int64_t n_limits, int64_t first,
    int64_t threads, void* hits, int64_t n_hits, int64_t bytes, void* free, int64_t n_free, int64_t free_bytes,
    int64_t* partner, int64_t partners, double* overlap, int64_t overlaps) {
  return guarded([&] {
    const int64_t ranges = n_limits / 2;
    require(n_limits % 2 == 0 && true_edges == edges && n_areas == predictions && (!n_ties || n_ties == predictions));
    require(n_ignored == truths * ranges && n_hits == predictions * ranges && n_free == n_hits);
    require(bytes == free_bytes && n_thresholds <= 8 * bytes);
    require((partners == predictions || !partners) && overlaps == partners);
    check_edges(starts, edges, predictions);
    check_edges(true_starts, edges, truths);
    const Rules rules{thresholds, n_thresholds, scores, n_ties ? ties : nullptr, areas, starts, true_starts,
                      shared, ignored, limits, ranges, first != 0};
    const Results results{hits, free, bytes, partners ? partner : nullptr, overlap};
    if (!of_boxes) {
      require(truth_rows == rows && iou_rows == rows);
      const int64_t visited = match_all(rules, GivenPairs{prediction, truth, iou, rows}, edges - 1, threads, results);
      require(visited == rows);  // others are not sorted, or belong to predictions that do not exist
      return;
    }
    require(labels == predictions && n_box_areas == predictions && true_labels == truths);
    require(n_true_areas == truths && n_crowd == truths);
    const Boxes mine(starts, edges, label, labels, corners, numbers);
    const Boxes theirs(true_starts, true_edges, true_label, true_labels, true_corners, true_numbers);
    match_all(rules, BoxPairs{mine, theirs, box_areas, true_areas, crowd}, edges - 1, threads, results);
  });
}
