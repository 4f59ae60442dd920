// Pixels that pairs of masks share.
#include <algorithm>

#include "abi.h"
#include "mask_list.h"
#include "parallel.h"

using namespace thresher;

namespace {

// Runs of pixels of many masks, those of each mask in order.
struct Masks {
  Masks(const int64_t* mask_offsets, int64_t edges, const int64_t* run_starts, int64_t runs, const int64_t* run_stops,
        int64_t n_stops)
      : offsets(mask_offsets), starts(run_starts), stops(run_stops), masks(edges - 1) {
    require(edges > 0 && n_stops == runs && offsets[0] == 0 && offsets[masks] == runs);
    for (int64_t mask = 0; mask < masks; mask++) require(offsets[mask] <= offsets[mask + 1]);
  }

  const int64_t *offsets, *starts, *stops;
  int64_t masks;
};

// The runs inside one mask.
struct Runs {
  const int64_t *starts, *stops;
  int64_t count;
};

Runs runs_of(const Masks& masks, int64_t mask) {
  const int64_t first = masks.offsets[mask];
  return {masks.starts + first, masks.stops + first, masks.offsets[mask + 1] - first};
}

int64_t shared_pixels(const Runs& mine, const Runs& theirs) {
  if (!mine.count || !theirs.count) return 0;
  // Skip the runs before the other mask begins: masks of one image rarely begin in the same column.
  int64_t one = std::upper_bound(mine.stops, mine.stops + mine.count, theirs.starts[0]) - mine.stops;
  int64_t other = std::upper_bound(theirs.stops, theirs.stops + theirs.count, mine.starts[0]) - theirs.stops;
  int64_t pixels = 0;
  while (one < mine.count && other < theirs.count) {
    const int64_t stop = mine.stops[one], other_stop = theirs.stops[other];
    pixels += std::max<int64_t>(std::min(stop, other_stop) - std::max(mine.starts[one], theirs.starts[other]), 0);
    one += stop <= other_stop;  // without branches: which run ends first is random
    other += other_stop <= stop;
  }
  return pixels;
}

// The runs inside the mask that was asked for last: pairs of one prediction follow each other.
class LastMask {
 public:
  explicit LastMask(const MaskList& list) : list_(list) {}

  Runs runs(int64_t mask) {
    if (mask != mask_) {
      starts_.clear();
      stops_.clear();
      visit_inside(list_.first(mask), list_.lengths[mask], [&](int64_t begin, int64_t end) {
        starts_.push_back(begin);
        stops_.push_back(end);
      });
      mask_ = mask;
    }
    return {starts_.data(), stops_.data(), std::ssize(starts_)};
  }

 private:
  const MaskList& list_;
  int64_t mask_ = -1;
  std::vector<int64_t> starts_, stops_;
};

}  // namespace

// Pixels that the masks `mine` and `theirs` of each pair share.
THRESHER_API int32_t thresher_shared_pixels(const int64_t* offsets, int64_t edges, const int64_t* starts, int64_t runs,
                                            const int64_t* stops, int64_t n_stops, const int64_t* other_offsets,
                                            int64_t other_edges, const int64_t* other_starts, int64_t other_runs,
                                            const int64_t* other_stops, int64_t n_other_stops, const int64_t* mine,
                                            int64_t pairs, const int64_t* theirs, int64_t other_pairs, int64_t threads,
                                            double* shared, int64_t n_shared) {
  return guarded([&] {
    const Masks ours(offsets, edges, starts, runs, stops, n_stops);
    const Masks others(other_offsets, other_edges, other_starts, other_runs, other_stops, n_other_stops);
    require(other_pairs == pairs && n_shared == pairs);
    for_rows(pairs, threads, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t pair = begin; pair < end; pair++) {
        require(mine[pair] >= 0 && mine[pair] < ours.masks && theirs[pair] >= 0 && theirs[pair] < others.masks);
        shared[pair] = static_cast<double>(shared_pixels(runs_of(ours, mine[pair]), runs_of(others, theirs[pair])));
      }
    });
  });
}

// The same of masks as run lengths: no run is stored.
THRESHER_API int32_t thresher_mask_overlaps(const int32_t* counts, int64_t runs, const int64_t* starts, int64_t masks,
                                            const int64_t* lengths, int64_t n_lengths, const int32_t* other_counts,
                                            int64_t other_runs, const int64_t* other_starts, int64_t other_masks,
                                            const int64_t* other_lengths, int64_t n_other_lengths, const int64_t* mine,
                                            int64_t pairs, const int64_t* theirs, int64_t other_pairs,
                                            int64_t threads, double* shared, int64_t n_shared) {
  return guarded([&] {
    const MaskList ours(counts, runs, starts, masks, lengths, n_lengths);
    const MaskList others(other_counts, other_runs, other_starts, other_masks, other_lengths, n_other_lengths);
    require(other_pairs == pairs && n_shared == pairs);
    for_rows(pairs, threads, [&](int64_t, int64_t begin, int64_t end) {
      LastMask one(ours), other(others);
      for (int64_t pair = begin; pair < end; pair++) {
        require(mine[pair] >= 0 && mine[pair] < masks && theirs[pair] >= 0 && theirs[pair] < other_masks);
        shared[pair] = static_cast<double>(shared_pixels(one.runs(mine[pair]), other.runs(theirs[pair])));
      }
    });
  });
}
