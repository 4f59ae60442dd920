// Pixels that pairs of masks share.
#include <algorithm>

#include "abi.h"
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

int64_t shared_pixels(const Masks& ours, int64_t mine, const Masks& others, int64_t theirs) {
  int64_t one = ours.offsets[mine], other = others.offsets[theirs], pixels = 0;
  const int64_t end = ours.offsets[mine + 1], other_end = others.offsets[theirs + 1];
  if (one == end || other == other_end) return 0;
  // Skip the runs before the other mask begins: masks of one image rarely begin in the same column.
  const int64_t first = ours.starts[one], other_first = others.starts[other];
  one = std::upper_bound(ours.stops + one, ours.stops + end, other_first) - ours.stops;
  other = std::upper_bound(others.stops + other, others.stops + other_end, first) - others.stops;
  while (one < end && other < other_end) {
    const int64_t stop = ours.stops[one], other_stop = others.stops[other];
    pixels += std::max<int64_t>(std::min(stop, other_stop) - std::max(ours.starts[one], others.starts[other]), 0);
    one += stop <= other_stop;  // without branches: which run ends first is random
    other += other_stop <= stop;
  }
  return pixels;
}

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
        shared[pair] = static_cast<double>(shared_pixels(ours, mine[pair], others, theirs[pair]));
      }
    });
  });
}
