// Comparisons of the scores of items with a label with those of the other items, for many labels.
#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

#include "abi.h"
#include "parallel.h"

using namespace thresher;

namespace {

constexpr int32_t kLabels = 1 << 24;     // numbers of labels index a table
constexpr int64_t kMostRows = 1 << 29;  // four cells for each are still numbered by 32 bits

template <class Score>
struct KeyOf;
template <>
struct KeyOf<float> {
  using type = uint32_t;
};
template <>
struct KeyOf<double> {
  using type = uint64_t;
};

// An unsigned integer that rises with the score; -0 and 0 have one key.
template <class Score>
typename KeyOf<Score>::type key_of(Score score) {
  using Key = typename KeyOf<Score>::type;
  constexpr int kSign = 8 * sizeof(Key) - 1;
  const Key bits = std::bit_cast<Key>(score + Score{0});
  return bits ^ (static_cast<Key>(-static_cast<Key>(bits >> kSign)) | Key{1} << kSign);
}

// The keys of a label's items, sorted, with an index in two levels: bins of equal width, each divided into cells
// as its number of keys demands. Most cells hold no key or one, so a rank takes no search.
template <class Key>
class Ranks {
 public:
  explicit Ranks(std::vector<Key> keys) : keys_(std::move(keys)) {
    std::sort(keys_.begin(), keys_.end());
    if (keys_.empty()) return;
    // One cell without keys at either end, for all that is lower or higher.
    low_ = keys_.front() - (keys_.front() > 0);
    high_ = keys_.back() + (keys_.back() < std::numeric_limits<Key>::max());
    shift_ = std::max(static_cast<int>(std::bit_width(high_ - low_)) - kBinBits, 0);
    divide();
    cells_.assign(bins_.back().first, 0);
    for (const Key key : keys_) cells_[cell(key) + 1]++;
    for (size_t at = 1; at < cells_.size(); at++) cells_[at] += cells_[at - 1];
  }

  int64_t size() const { return static_cast<int64_t>(keys_.size()); }

  // Over some keys, twice the keys here that are above, plus those that are equal. `shared` has room for all.
  int64_t twice_above(const Key* keys, int64_t number, uint32_t* shared) const {
    if (keys_.empty()) return 0;
    int64_t passed = 0;
    size_t n_shared = 0;
    // No branches: half of them would be mispredicted.
    for (int64_t at = 0; at < number; at++) {
      const uint32_t* found = &cells_[cell(std::min(std::max(keys[at], low_), high_))];
      passed += found[1];
      shared[n_shared] = static_cast<uint32_t>(at);
      n_shared += found[0] != found[1];
    }
    int64_t twice = 2 * (number * size() - passed);
    for (size_t at = 0; at < n_shared; at++) twice += within_cell(keys[shared[at]]);
    return twice;
  }

 private:
  struct Bin {
    uint32_t first;  // cell
    int32_t shift;   // of an offset within the bin
  };
  static constexpr int kBinBits = 11, kCellsPerKey = 2;
  static constexpr uint32_t kSearched = 16;

  size_t cell(Key key) const {
    const Key offset = key - low_;
    const Bin bin = bins_[static_cast<size_t>(offset >> shift_)];
    return bin.first + static_cast<size_t>((offset & ((Key{1} << shift_) - 1)) >> bin.shift);
  }

  // Give each bin as many cells as a power of two at or above twice its keys.
  void divide() {
    std::vector<uint32_t> counts(static_cast<size_t>((high_ - low_) >> shift_) + 1);
    for (const Key key : keys_) counts[static_cast<size_t>((key - low_) >> shift_)]++;
    uint32_t first = 0;
    for (const uint32_t count : counts) {
      const int bits = count ? std::min(static_cast<int>(std::bit_width(kCellsPerKey * count - 1)), shift_) : 0;
      bins_.push_back({first, shift_ - bits});
      first += uint32_t{1} << bits;
    }
    bins_.push_back({first + 1, 0});  // one more, for the end of the last cell
  }

  // What the keys of its cell add; those of higher cells are counted already.
  int64_t within_cell(Key key) const {
    const uint32_t* bounds = &cells_[cell(std::min(std::max(key, low_), high_))];
    const Key *begin = keys_.data() + bounds[0], *end = keys_.data() + bounds[1];
    if (end - begin > kSearched) {
      const Key* low = std::lower_bound(begin, end, key);
      return (end - low) + (end - std::upper_bound(low, end, key));
    }
    int64_t twice = 0;
    for (const Key* other = begin; other < end; other++) twice += (*other > key) + (*other >= key);
    return twice;
  }

  std::vector<Key> keys_;
  Key low_ = 0, high_ = 0;
  int shift_ = 0;
  std::vector<Bin> bins_;
  std::vector<uint32_t> cells_;  // keys in lower cells
};

// A matrix of scores, and the true label of each row; rows without one (negative) are left out.
template <class Score>
class Pairs {
 public:
  using Key = typename KeyOf<Score>::type;

  Pairs(const Score* scores, int64_t width, const int32_t* truths, int64_t rows, const int64_t* columns,
        const int32_t* labels, int64_t number, int64_t threads)
      : scores_(scores), width_(width), truths_(truths), rows_(rows), columns_(columns), threads_(threads) {
    std::vector<std::vector<Key>> keys(static_cast<size_t>(number));
    const int32_t most = number ? *std::max_element(labels, labels + number) : -1;
    std::vector<int64_t> place(static_cast<size_t>(most) + 1, -1);
    for (int64_t at = 0; at < number; at++) place[static_cast<size_t>(labels[at])] = at;
    for (int64_t row = 0; row < rows; row++) {
      if (truths[row] < 0) continue;
      known_.push_back(static_cast<uint32_t>(row));
      const int64_t at = truths[row] > most ? -1 : place[static_cast<size_t>(truths[row])];
      if (at >= 0) keys[static_cast<size_t>(at)].push_back(key_of(scores[row * width + columns[at]]));
    }
    ranks_.resize(static_cast<size_t>(number));
    for_rows(number, threads, [&](int64_t, int64_t begin, int64_t end) {
      for (size_t at = static_cast<size_t>(begin); at < static_cast<size_t>(end); at++)
        ranks_[at] = std::make_unique<Ranks<Key>>(std::move(keys[at]));
    }, 4);
  }

  // Per label twice the pairs won; a tie counts 1.
  void count(int64_t* out) {
    const int64_t number = static_cast<int64_t>(ranks_.size()), rows = static_cast<int64_t>(known_.size());
    const int64_t parts = (rows + kRows - 1) / kRows, groups = (number + kColumns - 1) / kColumns;
    const size_t workers = static_cast<size_t>(std::max<int64_t>(threads_, 1));
    std::vector<std::vector<int64_t>> totals(workers, std::vector<int64_t>(static_cast<size_t>(number)));
    std::vector<std::vector<Key>> tiles(workers);
    // All rows of one group of columns before the next: their index stays in the cache.
    for_rows(parts * groups, threads_, [&](int64_t number_of_worker, int64_t begin, int64_t end) {
      const size_t worker = static_cast<size_t>(number_of_worker);
      tiles[worker].resize(static_cast<size_t>(kStride * kColumns));
      for (int64_t at = begin; at < end; at++)
        part(at % parts * kRows, at / parts * kColumns, tiles[worker], totals[worker]);
    }, 1);
    for (int64_t at = 0; at < number; at++) {
      const int64_t own = ranks_[static_cast<size_t>(at)]->size();
      int64_t total = 0;
      for (const auto& counted : totals) total += counted[static_cast<size_t>(at)];
      out[at] = total - own * own;  // without the pairs of two items with the label
    }
  }

 private:
  // A cache line of 32-bit scores is read once for all its columns.
  static constexpr int64_t kRows = 8192, kColumns = 16;
  static constexpr int64_t kStride = kRows + 16;  // a power of two would map all columns to one set of the cache

  void part(int64_t first_row, int64_t first, std::vector<Key>& tile, std::vector<int64_t>& totals) const {
    const int64_t rows = std::min(kRows, static_cast<int64_t>(known_.size()) - first_row);
    const int64_t columns = std::min(kColumns, static_cast<int64_t>(ranks_.size()) - first);
    std::vector<uint32_t> shared(static_cast<size_t>(kRows));
    for (int64_t row = 0; row < rows; row++) {
      const Score* scores = scores_ + static_cast<int64_t>(known_[static_cast<size_t>(first_row + row)]) * width_;
      for (int64_t at = 0; at < columns; at++)
        tile[static_cast<size_t>(at * kStride + row)] = key_of(scores[columns_[first + at]]);
    }
    for (int64_t at = 0; at < columns; at++) {
      const Ranks<Key>& ranks = *ranks_[static_cast<size_t>(first + at)];
      const Key* keys = tile.data() + at * kStride;
      totals[static_cast<size_t>(first + at)] += ranks.twice_above(keys, rows, shared.data());
    }
  }

  const Score* scores_;
  int64_t width_;
  const int32_t* truths_;
  int64_t rows_;
  const int64_t* columns_;
  int64_t threads_;
  std::vector<uint32_t> known_;
  std::vector<std::unique_ptr<Ranks<Key>>> ranks_;
};

template <class Score>
int32_t pairs_won(const Score* scores, int64_t n_scores, int64_t width, const int32_t* truths, int64_t rows,
                  const int64_t* columns, int64_t n_columns, const int32_t* labels, int64_t n_labels,
                  int64_t threads, int64_t* out, int64_t n_out) {
  return guarded([&] {
    require(width >= 0 && rows <= kMostRows && n_scores == rows * width);
    require(n_columns == n_labels && n_out == n_labels);
    for (int64_t at = 0; at < n_columns; at++)
      require(columns[at] >= 0 && columns[at] < width && labels[at] >= 0 && labels[at] < kLabels);
    Pairs<Score>(scores, width, truths, rows, columns, labels, n_labels, threads).count(out);
  });
}

}  // namespace

// scores, rows x width; the label of each row, negative for rows that are left out; per label its column and number.
// out, per label: twice the pairs (item with the label, other item) that the first wins, a tie counting half.
THRESHER_API int32_t thresher_pairs_won_32(const float* scores, int64_t n_scores, int64_t width,
                                           const int32_t* truths, int64_t rows, const int64_t* columns,
                                           int64_t n_columns, const int32_t* labels, int64_t n_labels,
                                           int64_t threads, int64_t* out, int64_t n_out) {
  return pairs_won(scores, n_scores, width, truths, rows, columns, n_columns, labels, n_labels, threads, out, n_out);
}

THRESHER_API int32_t thresher_pairs_won_64(const double* scores, int64_t n_scores, int64_t width,
                                           const int32_t* truths, int64_t rows, const int64_t* columns,
                                           int64_t n_columns, const int32_t* labels, int64_t n_labels,
                                           int64_t threads, int64_t* out, int64_t n_out) {
  return pairs_won(scores, n_scores, width, truths, rows, columns, n_columns, labels, n_labels, threads, out, n_out);
}
