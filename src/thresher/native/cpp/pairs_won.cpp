// Comparisons of the scores of items with a label with those of the other items, for many labels.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>

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

// Ask for the cache lines of some bytes, which need not exist.
inline void prefetch([[maybe_unused]] const void* from, [[maybe_unused]] size_t bytes) {
#ifdef __GNUC__
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const char*>(from) + at);
#endif
}

// An unsigned integer that rises with the score; -0 and 0 have one key.
template <class Score>
typename KeyOf<Score>::type key_of(Score score) {
  using Key = typename KeyOf<Score>::type;
  constexpr int kSign = 8 * sizeof(Key) - 1;
  const Key bits = std::bit_cast<Key>(score + Score{0});
  return bits ^ (static_cast<Key>(-static_cast<Key>(bits >> kSign)) | Key{1} << kSign);
}

// Sort by digits, from the lowest: much faster than comparisons for the keys of a label.
template <class Key>
void sort_keys(std::vector<Key>& keys) {
  constexpr int kDigit = 11;
  constexpr size_t kValues = size_t{1} << kDigit, kFew = 512;
  if (keys.size() < kFew) return std::sort(keys.begin(), keys.end());  // clearing the counts would cost more
  std::vector<Key> moved(keys.size());
  for (int shift = 0; shift < static_cast<int>(8 * sizeof(Key)); shift += kDigit) {
    const auto digit_of = [&](Key key) { return static_cast<size_t>(key >> shift) & (kValues - 1); };
    std::array<size_t, kValues + 1> starts{};
    for (const Key key : keys) starts[digit_of(key) + 1]++;
    if (std::find(starts.begin(), starts.end(), keys.size()) != starts.end()) continue;  // one digit for all
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const Key key : keys) moved[starts[digit_of(key)]++] = key;
    keys.swap(moved);
  }
}

// The keys of a label's items, sorted, with an index in two levels: bins by the leading bits, each divided into
// cells as its number of keys demands. Most cells hold no key or one, so a rank takes no search.
template <class Key>
class Ranks {
 public:
  explicit Ranks(std::vector<Key> keys) : keys_(std::move(keys)) {
    sort_keys(keys_);
    size_ = static_cast<int64_t>(keys_.size());
    divide();
    keys_.push_back(std::numeric_limits<Key>::max());  // the first key of cells behind the last
  }

  int64_t size() const { return size_; }

  // Over some keys, twice the keys here that are below, plus those that are equal. `shared` has room for all.
  int64_t twice_below(const Key* keys, int64_t number, uint32_t* shared) const {
    int64_t twice = 0;
    size_t n_shared = 0;
    const Bin* bins = bins_.data();
    const uint32_t* cells = cells_.data();
    const Key* own = keys_.data();
    // No branches: half of them would be mispredicted. Most cells hold one key or none, so the first key at or
    // above the cell decides.
    for (int64_t at = 0; at < number; at++) {
      const Key key = keys[at];
      const Bin bin = bins[key >> kBinShift];
      const uint32_t* bounds = cells + static_cast<uint32_t>(bin.base + static_cast<uint32_t>(key >> bin.shift));
      const uint32_t lower = bounds[0];
      const Key first = own[lower];
      twice += lower + lower + (first <= key) + (first < key);
      shared[n_shared] = static_cast<uint32_t>(at);
      n_shared += bounds[1] - lower > 1;
    }
    for (size_t at = 0; at < n_shared; at++) {
      const Key key = keys[shared[at]];
      const uint32_t* bounds = cells + cell(key);
      const Key second = own[bounds[0] + 1];
      twice += (second <= key) + (second < key);
      if (bounds[1] - bounds[0] > 2) twice += beyond_second(key);
    }
    return twice;
  }

 private:
  struct Bin {
    uint32_t base;   // first cell minus the shifted first key: wraps around
    uint32_t shift;  // of a key
  };
  static constexpr int kBinBits = 12, kCellsPerKey = 2, kBinShift = 8 * sizeof(Key) - kBinBits;
  static constexpr uint32_t kSearched = 16;

  size_t cell(Key key) const {
    const Bin bin = bins_[static_cast<size_t>(key >> kBinShift)];
    return static_cast<uint32_t>(bin.base + static_cast<uint32_t>(key >> bin.shift));
  }

  // Give each bin as many cells as a power of two at or above twice its keys.
  void divide() {
    std::vector<uint32_t> counts(size_t{1} << kBinBits);
    for (const Key key : keys_) counts[static_cast<size_t>(key >> kBinShift)]++;
    uint32_t cells = 0;
    for (size_t at = 0; at < counts.size(); at++) {
      const int most = static_cast<int>(std::bit_width(kCellsPerKey * counts[at] - 1));
      const int bits = counts[at] ? std::min(most, kBinShift) : 0;
      const uint32_t shift = static_cast<uint32_t>(kBinShift - bits);
      const Key lowest = static_cast<Key>(at) << kBinShift;
      bins_.push_back({cells - static_cast<uint32_t>(lowest >> shift), shift});
      cells += uint32_t{1} << bits;
    }
    cells_.assign(cells + 1, 0);
    for (const Key key : keys_) cells_[cell(key) + 1]++;
    for (size_t at = 1; at < cells_.size(); at++) cells_[at] += cells_[at - 1];
  }

  // What the keys of its cell after the second add.
  int64_t beyond_second(Key key) const {
    const uint32_t* bounds = &cells_[cell(key)];
    const Key *begin = keys_.data() + bounds[0] + 2, *end = keys_.data() + bounds[1];
    if (end - begin > kSearched) {
      const Key* low = std::lower_bound(begin, end, key);
      return (low - begin) + (std::upper_bound(low, end, key) - begin);
    }
    int64_t twice = 0;
    for (const Key* other = begin; other < end; other++) twice += (*other < key) + (*other <= key);
    return twice;
  }

  std::vector<Key> keys_;
  int64_t size_ = 0;
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
    known_.reserve(static_cast<size_t>(rows));
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
    std::vector<Tile> tiles(workers);
    // All rows of one group of columns before the next: their index stays in the cache.
    for_rows(parts * groups, threads_, [&](int64_t number_of_worker, int64_t begin, int64_t end) {
      const size_t worker = static_cast<size_t>(number_of_worker);
      tiles[worker].keys.resize(static_cast<size_t>(stride() * kColumns));
      tiles[worker].shared.resize(static_cast<size_t>(stride()));
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
  // Neighbouring columns share cache lines, and many rows use the index of a column before the next replaces it.
  static constexpr int64_t kRows = 16384, kColumns = 32;
  static constexpr int64_t kBlock = 16;             // rows, whose keys fill a cache line of each column

  struct Tile {
    std::vector<Key> keys;         // columns at a distance of `stride`
    std::vector<uint32_t> shared;  // room for `twice_below`
  };

  void part(int64_t first_row, int64_t first, Tile& tile, std::vector<int64_t>& totals) const {
    const int64_t rows = std::min(kRows, static_cast<int64_t>(known_.size()) - first_row);
    const int64_t columns = std::min(kColumns, static_cast<int64_t>(ranks_.size()) - first);
    for (int64_t row = 0; row < rows; row += kBlock)
      transpose(first_row + row, std::min(kBlock, rows - row), columns_ + first, columns, tile.keys.data() + row);
    for (int64_t at = 0; at < columns; at++) {
      const Ranks<Key>& ranks = *ranks_[static_cast<size_t>(first + at)];
      const int64_t below = ranks.twice_below(tile.keys.data() + at * stride(), rows, tile.shared.data());
      totals[static_cast<size_t>(first + at)] += 2 * rows * ranks.size() - below;
    }
  }

  // Read a few rows and write their keys column by column.
  void transpose(int64_t first_row, int64_t rows, const int64_t* columns, int64_t number, Key* keys) const {
    std::array<std::array<Key, static_cast<size_t>(kColumns)>, static_cast<size_t>(kBlock)> block;
    for (size_t row = 0; row < static_cast<size_t>(rows); row++) {
      const size_t place = static_cast<size_t>(first_row) + row;
      // Rows are too far apart for the processor to foresee.
      if (place + kBlock < known_.size())
        prefetch(row_of(place + kBlock) + columns[0], static_cast<size_t>(number) * sizeof(Score));
      const Score* scores = row_of(place);
      for (size_t at = 0; at < static_cast<size_t>(number); at++) block[row][at] = key_of(scores[columns[at]]);
    }
    for (size_t at = 0; at < static_cast<size_t>(number); at++)
      for (size_t row = 0; row < static_cast<size_t>(rows); row++)
        keys[at * static_cast<size_t>(stride()) + row] = block[row][at];
  }

  // A power of two would map all columns to one set of the cache.
  int64_t stride() const { return std::min(kRows, static_cast<int64_t>(known_.size())) + 16; }

  const Score* row_of(size_t place) const { return scores_ + static_cast<int64_t>(known_[place]) * width_; }

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
