// Orders and ranks of the rows of columns.
#include "ordering.h"

#include <limits>

using namespace thresher;

// Reorder positions so that their keys, which are at least 0, rise; equal keys keep the order.
THRESHER_API int32_t thresher_stable_order(const int64_t* keys, int64_t size, int64_t* order, int64_t positions) {
  return guarded([&] {
    require(size <= std::numeric_limits<uint32_t>::max());
    std::vector<uint32_t> places(static_cast<size_t>(positions));
    for (int64_t row = 0; row < positions; row++) {
      require(order[row] >= 0 && order[row] < size);
      places[static_cast<size_t>(row)] = static_cast<uint32_t>(order[row]);
    }
    StableOrder().sort(keys, places);
    std::copy(places.begin(), places.end(), order);
  });
}

// Number of positions before each one, in this order, that have the same group; groups are 0 to `groups` - 1.
THRESHER_API int32_t thresher_ranks_in_groups(const int64_t* group, int64_t size, int64_t groups, const int64_t* order,
                                              int64_t positions, int64_t* ranks, int64_t n_ranks) {
  return guarded([&] {
    require(n_ranks == size && groups >= 0);
    std::vector<int32_t> counts(static_cast<size_t>(groups));
    for (int64_t row = 0; row < positions; row++) {
      const int64_t place = order[row];
      require(place >= 0 && place < size && group[place] >= 0 && group[place] < groups);
      ranks[place] = counts[static_cast<size_t>(group[place])]++;
    }
  });
}
