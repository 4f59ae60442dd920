// Orders and ranks of the rows of columns.
#include "ordering.h"

#include <cstring>
#include <limits>

#include "parallel.h"

using namespace thresher;

namespace {

constexpr int64_t kOne = 0x3FF0000000000000;  // the bits of the double 1
constexpr int64_t kBlock = 1 << 13;           // rows

void check_places(int64_t size) { require(size <= std::numeric_limits<int32_t>::max()); }

// Image of each row.
std::vector<int32_t> owners_of(const int64_t* starts, int64_t edges, int64_t rows) {
  check_edges(starts, edges, rows);
  std::vector<int32_t> owners(static_cast<size_t>(rows));
  for (int64_t image = 0; image + 1 < edges; image++)
    std::fill(owners.begin() + starts[image], owners.begin() + starts[image + 1], static_cast<int32_t>(image));
  return owners;
}

// Where each label starts, and the rows label after label.
void by_label(const int32_t* label, int64_t rows, std::vector<int64_t>& starts, std::vector<uint32_t>& places) {
  const int64_t labels = static_cast<int64_t>(starts.size()) - 1;
  for (int64_t row = 0; row < rows; row++) {
    require(label[row] >= 0 && label[row] < labels);
    starts[static_cast<size_t>(label[row]) + 1]++;
  }
  for (size_t at = 1; at < starts.size(); at++) starts[at] += starts[at - 1];
  std::vector<int64_t> next(starts);
  for (int64_t row = 0; row < rows; row++)
    places[static_cast<size_t>(next[static_cast<size_t>(label[row])]++)] = static_cast<uint32_t>(row);
}

// Rows of one column in another order; turned, so that each of its parts follows the one before. The rows are first
// copied one after the other: loads that wait for memory then overlap.
template <class Bits>
void turn(const Bits* column, Bits* turned, const int32_t* order, int64_t begin, int64_t end, int64_t rows,
          int64_t parts) {
  constexpr int64_t kTogether = 256, kWord = sizeof(uint64_t) / sizeof(Bits);
  std::vector<Bits> copies(static_cast<size_t>(kTogether * parts));
  for (int64_t first = begin; first < end; first += kTogether) {
    const int64_t some = std::min(kTogether, end - first);
    if (parts == kWord)  // COCO's four ranges of areas
      for (int64_t row = 0; row < some; row++)
        std::memcpy(&copies[static_cast<size_t>(row * kWord)], column + order[first + row] * kWord, sizeof(uint64_t));
    else
      for (int64_t row = 0; row < some; row++)
        std::copy_n(column + order[first + row] * parts, parts, &copies[static_cast<size_t>(row * parts)]);
    for (int64_t part = 0; part < parts; part++)
      for (int64_t row = 0; row < some; row++)
        turned[part * rows + first + row] = copies[static_cast<size_t>(row * parts + part)];
  }
}

}  // namespace

// Reorder positions so that their keys, which are at least 0, rise; equal keys keep the order.
THRESHER_API int32_t thresher_stable_order(const int64_t* keys, int64_t size, int64_t* order, int64_t positions) {
  return guarded([&] {
    check_places(size);
    std::vector<uint32_t> places(static_cast<size_t>(positions));
    for (int64_t row = 0; row < positions; row++) {
      require(order[row] >= 0 && order[row] < size);
      places[static_cast<size_t>(row)] = static_cast<uint32_t>(order[row]);
    }
    StableOrder().sort([keys](uint32_t place) { return keys[place]; }, places);
    std::copy(places.begin(), places.end(), order);
  });
}

// Order of rows by label (0 to `labels` - 1), then falling score (0 to 1), ties as they are; and the rank of each row
// by score within its image and label. Rows are sorted image after image.
THRESHER_API int32_t thresher_label_order(const int32_t* label, int64_t rows, const double* scores, int64_t n_scores,
                                          const int64_t* image_starts, int64_t edges, int64_t labels, int64_t threads,
                                          int32_t* order, int64_t positions, int32_t* ranks, int64_t n_ranks) {
  return guarded([&] {
    check_places(rows);
    require(n_scores == rows && positions == rows && n_ranks == rows && labels >= 0 && edges > 0);
    const std::vector<int32_t> owners = owners_of(image_starts, edges, rows);
    std::vector<int64_t> starts(static_cast<size_t>(labels) + 1);
    std::vector<uint32_t> places(static_cast<size_t>(rows));
    by_label(label, rows, starts, places);
    struct Worker {
      StableOrder sorter;
      std::vector<int32_t> counts;  // rows of the label so far, by image
    };
    std::vector<Worker> workers(static_cast<size_t>(std::max<int64_t>(threads, 1)));
    const std::vector<int64_t> turns = largest_first(starts.data(), labels);
    for_rows(labels, threads, [&](int64_t worker, int64_t begin, int64_t end) {
      Worker& mine = workers[static_cast<size_t>(worker)];
      mine.counts.resize(static_cast<size_t>(edges) - 1);
      for (int64_t at = begin; at < end; at++) {
        const auto first = static_cast<size_t>(starts[static_cast<size_t>(turns[static_cast<size_t>(at)])]);
        const auto last = static_cast<size_t>(starts[static_cast<size_t>(turns[static_cast<size_t>(at)]) + 1]);
        const std::span<uint32_t> part(places.data() + first, last - first);
        // The bits of doubles of at least 0 are in the order of the numbers; adding 0 turns -0 into 0.
        mine.sorter.sort([&](uint32_t row) { return kOne - std::bit_cast<int64_t>(scores[row] + 0.0); }, part);
        for (size_t row = first; row < last; row++) {
          order[row] = static_cast<int32_t>(places[row]);
          ranks[places[row]] = mine.counts[static_cast<size_t>(owners[places[row]])]++;
        }
        for (const uint32_t row : part) mine.counts[static_cast<size_t>(owners[row])] = 0;
      }
    }, 1);
  });
}

// Image, rank and outcomes of the rows in an order; outcomes are turned, ranges of areas x rows.
THRESHER_API int32_t thresher_order_outcomes(
    const int32_t* order, int64_t rows, const int64_t* image_starts, int64_t edges, const int32_t* ranks,
    int64_t n_ranks, const void* hits, int64_t n_hits, int64_t bytes, const void* ignored, int64_t n_ignored,
    int64_t ignored_bytes, int64_t ranges, int64_t threads, int32_t* images, int64_t n_images, int32_t* new_ranks,
    int64_t n_new_ranks, void* new_hits, int64_t n_new_hits, int64_t new_bytes, void* new_ignored,
    int64_t n_new_ignored, int64_t new_ignored_bytes) {
  return guarded([&] {
    require(ranges > 0 && n_ranks == rows && n_images == rows && n_new_ranks == rows);
    require(n_hits == rows * ranges && n_ignored == n_hits && n_new_hits == n_hits && n_new_ignored == n_hits);
    require(ignored_bytes == bytes && new_bytes == bytes && new_ignored_bytes == bytes);
    const std::vector<int32_t> owners = owners_of(image_starts, edges, rows);
    const auto turn_all = [&]<class Bits>(Bits, int64_t begin, int64_t end) {
      turn(static_cast<const Bits*>(hits), static_cast<Bits*>(new_hits), order, begin, end, rows, ranges);
      turn(static_cast<const Bits*>(ignored), static_cast<Bits*>(new_ignored), order, begin, end, rows, ranges);
    };
    for_rows(rows, threads, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) require(order[row] >= 0 && order[row] < rows);
      for (int64_t row = begin; row < end; row++) images[row] = owners[static_cast<size_t>(order[row])];
      for (int64_t row = begin; row < end; row++) new_ranks[row] = ranks[order[row]];
      if (bytes == sizeof(uint16_t)) turn_all(uint16_t{}, begin, end);
      else turn_all(uint32_t{}, begin, end);
    }, kBlock);
  });
}
