// Scores of a matrix that reach thresholds, for curves.
#include <algorithm>

#include "abi.h"
#include "parallel.h"

using namespace thresher;

namespace {

constexpr int64_t kBlock = 4096;  // rows of a thread
constexpr int64_t kColumns = 16;

// A matrix of scores; per column its label and the label's key; per key and row the true label, -1 for none.
template <class Score>
struct Matrix {
  const Score* scores;
  int64_t width, rows;
  const Score* thresholds;  // rising
  int64_t n_thresholds;
  const int32_t *labels, *keys;
  const int32_t* truths;
  bool all;  // scores for a key without a true label count as well

  // Call what with each column of a row whose score reaches the lowest threshold and counts.
  template <class What>
  void each_reached(int64_t row, What what) const {
    const Score* own = scores + row * width;
    const Score lowest = thresholds[0];
    for (int64_t first = 0; first < width; first += kColumns) {
      const int64_t end = std::min(first + kColumns, width);
      // Few scores reach a threshold: most columns are passed by vector instructions.
      int any = 0;
      for (int64_t column = first; column < end; column++) any |= own[column] >= lowest;
      if (!any) continue;
      for (int64_t column = first; column < end; column++)
        if (own[column] >= lowest && (all || truths[keys[column] * rows + row] >= 0)) what(column);
    }
  }
};

// Columns of the scores that reach a threshold, row after row, and per key and row the steps of its scores.
struct Entries {
  int32_t* labels;
  uint8_t* steps;
  int32_t* truths;
  uint8_t *own, *other;  // of the true label; the highest of other labels
};

template <class Score>
void write(const Matrix<Score>& matrix, int64_t row, int64_t at, int64_t end, const Entries& entries) {
  const Score* scores = matrix.scores + row * matrix.width;
  const Score* stop = matrix.thresholds + matrix.n_thresholds;
  matrix.each_reached(row, [&](int64_t column) {
    const int64_t place = matrix.keys[column] * matrix.rows + row;
    const int32_t truth = matrix.truths[place], label = matrix.labels[column];
    const auto step = static_cast<uint8_t>(std::upper_bound(matrix.thresholds, stop, scores[column]) - matrix.thresholds);
    require(at < end);
    entries.labels[at] = label;
    entries.steps[at] = step;
    entries.truths[at++] = truth;
    if (truth == label) entries.own[place] = step;
    else if (truth >= 0) entries.other[place] = std::max(entries.other[place], step);
  });
  require(at == end);
}

struct Sizes {
  int64_t scores, labels, keys, truths;
};

template <class Score>
void check(const Matrix<Score>& matrix, const Sizes& sizes) {
  const int64_t rows = matrix.rows;
  require(matrix.width >= 0 && rows >= 0 && sizes.scores == rows * matrix.width && matrix.n_thresholds > 0);
  require(sizes.labels == matrix.width && sizes.keys == matrix.width);
  for (int64_t column = 0; column < matrix.width; column++)
    require(matrix.keys[column] >= 0 && (matrix.keys[column] + int64_t{1}) * rows <= sizes.truths);
}

// A matrix of scores of 32 or 64 bits, as the library receives it.
struct GivenMatrix {
  const void* scores;
  int64_t n_scores, score_bytes, width, rows;
  const void* thresholds;
  int64_t n_thresholds, threshold_bytes;
  const int32_t* labels;
  int64_t n_labels;
  const int32_t* keys;
  int64_t n_keys;
  const int32_t* truths;
  int64_t n_truths;
  bool all;

  // Calls work with the checked matrix.
  template <class Work>
  void as_typed(Work work) const {
    require(score_bytes == threshold_bytes);
    if (score_bytes == sizeof(float)) work(typed<float>());
    else work(typed<double>());
  }

 private:
  template <class Score>
  Matrix<Score> typed() const {
    const Matrix<Score> matrix{static_cast<const Score*>(scores), width, rows, static_cast<const Score*>(thresholds),
                               n_thresholds, labels, keys, truths, all};
    check(matrix, {n_scores, n_labels, n_keys, n_truths});
    return matrix;
  }
};

}  // namespace

// Per row the number of scores that reach the lowest threshold.
THRESHER_API int32_t thresher_count_reached(
    const void* scores, int64_t n_scores, int64_t score_bytes, int64_t width, const void* thresholds,
    int64_t n_thresholds, int64_t threshold_bytes, const int32_t* labels, int64_t n_labels, const int32_t* keys,
    int64_t n_keys, const int32_t* truths, int64_t n_truths, int64_t all, int64_t threads, int64_t* lengths,
    int64_t rows) {
  return guarded([&] {
    const GivenMatrix given{scores, n_scores, score_bytes, width, rows, thresholds, n_thresholds, threshold_bytes,
                            labels, n_labels, keys, n_keys, truths, n_truths, all != 0};
    given.as_typed([&](const auto& matrix) {
      for_rows(rows, threads, [&](int64_t, int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) {
          int64_t number = 0;
          matrix.each_reached(row, [&](int64_t) { number++; });
          lengths[row] = number;
        }
      }, kBlock);
    });
  });
}

// What reaches a threshold, at the offset of its row; tables of keys x rows begin as zeros.
THRESHER_API int32_t thresher_reached_scores(
    const void* scores, int64_t n_scores, int64_t score_bytes, int64_t width, const void* thresholds,
    int64_t n_thresholds, int64_t threshold_bytes, const int32_t* labels, int64_t n_labels, const int32_t* keys,
    int64_t n_keys, const int32_t* truths, int64_t n_truths, int64_t all, int64_t threads, const int64_t* offsets,
    int64_t n_offsets, int32_t* out_labels, int64_t n_out_labels, uint8_t* steps, int64_t n_steps, int32_t* out_truths,
    int64_t n_out_truths, uint8_t* own, int64_t n_own, uint8_t* other, int64_t n_other) {
  return guarded([&] {
    const int64_t rows = n_offsets - 1;
    const GivenMatrix given{scores, n_scores, score_bytes, width, rows, thresholds, n_thresholds, threshold_bytes,
                            labels, n_labels, keys, n_keys, truths, n_truths, all != 0};
    const Entries entries{out_labels, steps, out_truths, own, other};
    given.as_typed([&](const auto& matrix) {
      require(n_out_labels == n_steps && n_out_truths == n_steps && n_own == n_truths && n_other == n_truths);
      check_edges(offsets, n_offsets, n_steps);
      for_rows(rows, threads, [&](int64_t, int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) write(matrix, row, offsets[row], offsets[row + 1], entries);
      }, kBlock);
    });
  });
}
