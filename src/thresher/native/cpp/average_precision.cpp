// Average precision and recall of each label, under many vectors of whole weights of the images.
#include <limits>

#include "label_precision.h"
#include "parallel.h"

using namespace thresher;

namespace {

constexpr size_t kManyLanes = 16;  // vectors processed together: their weights of an image fill a cache line

void check_images(const int32_t* images, int64_t begin, int64_t end, int64_t size) {
  uint32_t highest = 0;  // of negative numbers, too, which become large
  for (int64_t row = begin; row < end; row++) highest = std::max(highest, static_cast<uint32_t>(images[row]));
  require(begin == end || highest < static_cast<uint64_t>(std::min<int64_t>(size, int64_t{1} << 31)));
}

// Evaluate all labels under vectors x images weights, several vectors at a time.
template <size_t kLanes>
void evaluate(const RankedObjects& input, int64_t labels, const int32_t* weights, int64_t vectors, int64_t size,
              int64_t threads, double* precisions, double* recalls) {
  const std::vector<int64_t> order = largest_first(input.starts, labels);
  std::vector<Lanes<int32_t, kLanes>> lanes(static_cast<size_t>(size));
  std::vector<LabelPrecision<kLanes>> workers(static_cast<size_t>(std::max<int64_t>(threads, 1)), {input, lanes});
  const int64_t row_size = static_cast<int64_t>(input.thresholds.size()) * labels;
  for (int64_t first = 0; first < vectors; first += static_cast<int64_t>(kLanes)) {
    const size_t count = static_cast<size_t>(std::min<int64_t>(vectors - first, kLanes));
    for (int64_t image = 0; image < size; image++)
      for (size_t lane = 0; lane < count; lane++)
        lanes[static_cast<size_t>(image)][lane] = weights[(first + static_cast<int64_t>(lane)) * size + image];
    const auto work = [&](int64_t worker, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) {
        const int64_t label = order[static_cast<size_t>(row)], cell = first * row_size + label;
        if (!first) {  // here, where several threads share the rows
          check_images(input.images, input.starts[label], input.starts[label + 1], size);
          check_images(input.truth_images, input.truth_starts[label], input.truth_starts[label + 1], size);
        }
        workers[static_cast<size_t>(worker)].evaluate(label, count, input.points ? precisions + cell : nullptr,
                                                      recalls + cell, static_cast<size_t>(labels));
      }
    };
    for_rows(labels, threads, work, 1);
  }
}

}  // namespace

// Arguments: predictions (image, where labels start, bits of hits and ignored, rank), the bits of all thresholds, the
// rank from which predictions are left out, true objects (image, where labels start), weights (vectors x images; no
// sum exceeds 32 bits), number of images, positions of thresholds, recalls (none: recall only), threads, and the
// results (vectors x thresholds x labels).
THRESHER_API int32_t thresher_average_precision(
    const int32_t* images, int64_t predictions, const int64_t* starts, int64_t edges, const void* hits,
    int64_t hit_rows, int64_t hit_bytes, const void* ignored, int64_t ignored_rows, int64_t ignored_bytes,
    const int32_t* ranks, int64_t rank_rows, int64_t everywhere, int64_t most, const int32_t* truth_images,
    int64_t truths, const int64_t* truth_starts, int64_t truth_edges, const int32_t* weights, int64_t weight_count,
    int64_t size, const int64_t* positions, int64_t thresholds, const double* recalls, int64_t points,
    int64_t threads, double* precisions, int64_t precision_count, double* label_recalls, int64_t recall_count) {
  return guarded([&] {
    require(edges > 0 && truth_edges == edges && hit_rows == predictions && ignored_rows == predictions);
    require(rank_rows == predictions && most <= std::numeric_limits<int32_t>::max());
    require(size > 0 && weight_count % size == 0);
    const int64_t labels = edges - 1, vectors = weight_count / size, cells = vectors * thresholds * labels;
    require(recall_count == cells && precision_count == (points ? cells : 0));
    check_edges(starts, edges, predictions);
    check_edges(truth_starts, edges, truths);
    require(hit_bytes == ignored_bytes);
    RankedObjects input{images, starts, hits, ignored, hit_bytes == sizeof(uint32_t), ranks,
                static_cast<uint32_t>(everywhere), static_cast<int32_t>(most),
                truth_images, truth_starts, {}, recalls, static_cast<size_t>(points)};
    for (int64_t at = 0; at < thresholds; at++) {
      require(positions[at] >= 0 && positions[at] < static_cast<int64_t>(kBits));
      input.thresholds.push_back(static_cast<size_t>(positions[at]));
    }
    const auto run = vectors == 1 ? evaluate<1> : evaluate<kManyLanes>;
    run(input, labels, weights, vectors, size, threads, precisions, label_recalls);
  });
}
