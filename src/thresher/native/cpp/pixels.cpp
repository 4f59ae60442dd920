// Pairs of labels of two label maps.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "abi.h"
#include "parallel.h"

using namespace thresher;

namespace {

constexpr size_t kTables = 4;                   // equal pixels in a row would wait for each other in a single table
constexpr size_t kSmall = size_t{1} << 16;      // cells that 16 bits number; four tables of them fit the cache
constexpr int64_t kBlock = int64_t{1} << 16;    // pixels of a thread
constexpr size_t kPixels = 2048;                // pixels that are numbered before they are counted

#if defined(__SSE2__)
constexpr bool kRuns = true;     // lengths of runs of equal pairs are counted, not single pixels
constexpr size_t kBytes = 256;   // labels that a byte numbers
constexpr size_t kGroup = 64;    // pixels that are compared with the next ones together
constexpr uint64_t kLast = uint64_t{1} << (kGroup - 1);

inline __m128i sixteen(const uint8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

// Pixels of a group, bit k for pixel k: the last one of a run of equal pairs, the last one of a run of equal first
// values, and those whose two values agree. Each group ends its runs.
struct Group {
  uint64_t ends = kLast, first_ends = kLast, agreed = 0;
};

// Raises if a value minus `low` exceeds `last`.
inline Group group_of(const uint8_t* first, const uint8_t* second, __m128i low, __m128i last) {
  __m128i highest = _mm_setzero_si128();
  Group group;
  const auto bits = [](__m128i equal) { return static_cast<uint64_t>(_mm_movemask_epi8(equal)); };
  for (size_t part = 0; part < kGroup; part += 16, first += 16, second += 16) {
    const __m128i ones = sixteen(first), others = sixteen(second);
    highest = _mm_max_epu8(highest, _mm_max_epu8(_mm_sub_epi8(ones, low), _mm_sub_epi8(others, low)));
    const __m128i same = _mm_cmpeq_epi8(ones, sixteen(first + 1));
    group.first_ends |= (bits(same) ^ 0xFFFF) << part;
    group.ends |= (bits(_mm_and_si128(same, _mm_cmpeq_epi8(others, sixteen(second + 1)))) ^ 0xFFFF) << part;
    group.agreed |= bits(_mm_cmpeq_epi8(ones, others)) << part;
  }
  require(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(highest, last), last)) == 0xFFFF);
  return group;
}
#else
constexpr bool kRuns = false;
constexpr size_t kBytes = 0;
#endif

// Counts of one thread; 32 bits suffice for what it counts before `add`.
class Table {
 public:
  explicit Table(int64_t width)
      : width_(static_cast<uint64_t>(width)),
        cells_(static_cast<size_t>(width * width)),
        bytes_(kRuns && width_ <= kBytes),
        small_(!bytes_ && cells_ <= kSmall),
        counts_(cells_ * (small_ ? kTables : 1)),
        totals_(bytes_ ? static_cast<size_t>(width) : 0) {}

  template <class Value>
  void count(const uint8_t* first, const uint8_t* second, int64_t begin, int64_t end, int64_t low) {
    if (bytes_ && sizeof(Value) == 1) {
      count_runs(first + begin, second + begin, static_cast<size_t>(end - begin), static_cast<uint8_t>(low));
      return;
    }
    for (; begin < end; begin += static_cast<int64_t>(kPixels)) {
      const size_t pixels = static_cast<size_t>(std::min<int64_t>(end - begin, static_cast<int64_t>(kPixels)));
      const size_t bytes = static_cast<size_t>(begin) * sizeof(Value);
      if (bytes_) {
        narrow<Value>(first + bytes, pixels, low, ones_);
        narrow<Value>(second + bytes, pixels, low, others_);
        count_runs(ones_.data(), others_.data(), pixels, 0);
        continue;
      }
      if (small_ && sizeof(Value) == 1) number<Value, uint16_t>(first + bytes, second + bytes, pixels, low, narrow_);
      else if (small_) number<Value, uint64_t>(first + bytes, second + bytes, pixels, low, narrow_);
      else number<Value, uint64_t>(first + bytes, second + bytes, pixels, low, wide_);
      small_ ? add_up(narrow_.data(), pixels, cells_) : add_up(wide_.data(), pixels, 0);
    }
  }

  // Add what another thread counted.
  void add(const Table& other) {
    for (size_t cell = 0; cell < counts_.size(); cell++) counts_[cell] += other.counts_[cell];
    for (size_t row = 0; row < totals_.size(); row++) totals_[row] += other.totals_[row];
  }

  // The pixels of each pair; nothing can be counted or added afterwards.
  const uint32_t* finished() {
    for (size_t from = cells_; from < counts_.size(); from += cells_)
      for (size_t cell = 0; cell < cells_; cell++) counts_[cell] += counts_[from + cell];
    for (size_t row = 0; row < totals_.size(); row++) {
      if (!totals_[row]) continue;
      uint32_t* const pairs = &counts_[row * totals_.size()];
      pairs[row] = totals_[row] - std::accumulate(pairs, pairs + totals_.size(), uint32_t{0});
    }
    return counts_.data();
  }

 private:
  // Write a byte for each pixel; raises if a value minus `low` does not fit.
  template <class Value>
  void narrow(const uint8_t* values, size_t pixels, int64_t low, std::array<uint8_t, kPixels>& places) const {
    using Place = std::make_unsigned_t<Value>;
    const Place lowest = static_cast<Place>(low);
    Place bits = 0;
    for (size_t at = 0; at < pixels; at++) {
      Value value;
      std::memcpy(&value, values + at * sizeof(Value), sizeof(Value));
      const Place place = static_cast<Place>(static_cast<Place>(value) - lowest);
      bits = static_cast<Place>(bits | place);
      places[at] = static_cast<uint8_t>(place);
    }
    require(bits <= std::numeric_limits<uint8_t>::max());
  }

  // Maps mostly consist of runs, so lengths are added, not pixels. Most pixels agree, so only the others are paired:
  // the rest of each first value's pixels agrees with it, and single wrong pixels divide no run.
  void count_runs(const uint8_t* first, const uint8_t* second, size_t pixels, uint8_t low) {
    const size_t width = static_cast<size_t>(width_);
    uint32_t *const counts = counts_.data(), *const totals = totals_.data();
    const auto place = [low](uint8_t value) { return static_cast<size_t>(static_cast<uint8_t>(value - low)); };
    size_t at = 0;
#if defined(__SSE2__)
    const __m128i lowest = _mm_set1_epi8(static_cast<char>(low)), last = _mm_set1_epi8(static_cast<char>(width - 1));
    for (; at + kGroup < pixels; at += kGroup, first += kGroup, second += kGroup) {
      const Group group = group_of(first, second, lowest, last);
      uint64_t begins = (group.ends << 1 | 1) & ~group.agreed;
      for (uint64_t ends = group.ends & ~group.agreed; ends; ends &= ends - 1, begins &= begins - 1) {
        const int end = std::countr_zero(ends);
        counts[place(first[end]) * width + place(second[end])] += static_cast<uint32_t>(end + 1 - std::countr_zero(begins));
      }
      int begin = 0;
      for (uint64_t ends = group.first_ends; ends; ends &= ends - 1) {
        const int end = std::countr_zero(ends) + 1;
        totals[place(first[end - 1])] += static_cast<uint32_t>(end - begin);
        begin = end;
      }
    }
#endif
    for (; at < pixels; at++, first++, second++) {
      const size_t row = place(*first), column = place(*second);
      require(row < width && column < width);
      totals[row]++;
      if (row != column) counts[row * width + column]++;
    }
  }

  // Write the cell of each pixel: a loop of vector instructions for bytes.
  template <class Value, class Wide, class Cell>
  void number(const uint8_t* first, const uint8_t* second, size_t pixels, int64_t low,
              std::array<Cell, kPixels>& cells) {
    const Wide lowest = static_cast<Wide>(low), width = static_cast<Wide>(width_);
    Wide beyond = 0;
    for (size_t at = 0; at < pixels; at++) {
      Value one, other;
      std::memcpy(&one, first + at * sizeof(Value), sizeof(Value));
      std::memcpy(&other, second + at * sizeof(Value), sizeof(Value));
      const Wide row = static_cast<Wide>(static_cast<Wide>(one) - lowest);
      const Wide column = static_cast<Wide>(static_cast<Wide>(other) - lowest);
      beyond = static_cast<Wide>(beyond | (row >= width) | (column >= width));
      cells[at] = static_cast<Cell>(row * width + column);
    }
    require(!beyond);
  }

  template <class Cell>
  void add_up(const Cell* cells, size_t pixels, size_t between) {
    uint32_t* counts = counts_.data();
    size_t at = 0;
    for (; at + kTables <= pixels; at += kTables)
      for (size_t table = 0; table < kTables; table++) counts[table * between + cells[at + table]]++;
    for (; at < pixels; at++) counts[cells[at]]++;
  }

  uint64_t width_;
  size_t cells_;
  bool bytes_, small_;
  std::vector<uint32_t> counts_;  // with `bytes_` only of pairs of different values
  std::vector<uint32_t> totals_;  // pixels of each first value
  std::array<uint8_t, kPixels> ones_, others_;
  std::array<uint16_t, kPixels> narrow_;
  std::array<uint32_t, kPixels> wide_;
};

template <class Value>
Table count_pairs(const uint8_t* first, const uint8_t* second, int64_t pixels, int64_t low, int64_t width,
                  int64_t threads) {
  require(pixels <= std::numeric_limits<uint32_t>::max());
  std::vector<Table> tables(static_cast<size_t>(std::max<int64_t>(threads, 1)), Table(width));
  for_rows(
      pixels, threads,
      [&](int64_t worker, int64_t begin, int64_t end) {
        tables[static_cast<size_t>(worker)].template count<Value>(first, second, begin, end, low);
      },
      kBlock);
  for (size_t other = 1; other < tables.size(); other++) tables[0].add(tables[other]);
  return std::move(tables[0]);
}

constexpr size_t kByte = 256;

// The places from the first to the last value of either map in a table of all pairs of bytes; 0 and 1 without a pixel.
std::array<size_t, 2> range_of(const uint32_t* counts) {
  std::array<uint32_t, kByte> occurs{};
  for (size_t row = 0; row < kByte; row++) {
    uint32_t any = 0;
    for (size_t column = 0; column < kByte; column++) {
      any |= counts[row * kByte + column];
      occurs[column] |= counts[row * kByte + column];
    }
    occurs[row] |= any;
  }
  const auto known = [](uint32_t bits) { return bits != 0; };
  const auto begin = std::find_if(occurs.begin(), occurs.end(), known);
  if (begin == occurs.end()) return {0, 1};
  const auto end = std::find_if(occurs.rbegin(), occurs.rend(), known).base();
  return {static_cast<size_t>(begin - occurs.begin()), static_cast<size_t>(end - occurs.begin())};
}

}  // namespace

// Write how often each pair of values occurs at one pixel, minus `low` below `width`, to `counts` (width x width).
// Values are integers of `bytes` bytes.
THRESHER_API int32_t thresher_pair_counts(const uint8_t* first, int64_t first_size, const uint8_t* second,
                                          int64_t second_size, int64_t bytes, int64_t is_signed, int64_t low,
                                          int64_t width, int64_t threads, int64_t* counts, int64_t cells) {
  return guarded([&] {
    require(first_size == second_size && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8));
    require(first_size % bytes == 0 && width > 0 && width <= 4096 && cells == width * width);
    const auto run = [&](auto of_unsigned, auto of_signed) {
      const auto count = is_signed ? count_pairs<decltype(of_signed)> : count_pairs<decltype(of_unsigned)>;
      Table table = count(first, second, first_size / bytes, low, width, threads);
      std::copy_n(table.finished(), cells, counts);
    };
    if (bytes == 1) run(uint8_t{}, int8_t{});
    else if (bytes == 2) run(uint16_t{}, int16_t{});
    else if (bytes == 4) run(uint32_t{}, int32_t{});
    else run(uint64_t{}, int64_t{});
  });
}

// As above for bytes, which are counted in one pass over the maps. `range` becomes the lowest value and the number of
// values up to the highest; `counts` begins with that many rows and columns and one more of each, of zeros.
THRESHER_API int32_t thresher_byte_pair_counts(const uint8_t* first, int64_t first_size, const uint8_t* second,
                                               int64_t second_size, int64_t is_signed, int64_t threads,
                                               int64_t* counts, int64_t cells, int64_t* range, int64_t range_size) {
  return guarded([&] {
    require(first_size == second_size && range_size == 2);
    const int64_t low = is_signed ? std::numeric_limits<int8_t>::min() : 0;
    const auto count = is_signed ? count_pairs<int8_t> : count_pairs<uint8_t>;
    Table table = count(first, second, first_size, low, int64_t{kByte}, threads);
    const uint32_t* all = table.finished();
    const auto [begin, end] = range_of(all);
    const size_t width = end - begin, row_size = width + 1;
    require(static_cast<size_t>(cells) >= row_size * row_size);
    std::fill(counts, counts + row_size * row_size, 0);
    for (size_t row = 0; row < width; row++)
      std::copy_n(&all[(begin + row) * kByte + begin], width, counts + row * row_size);
    range[0] = low + static_cast<int64_t>(begin);
    range[1] = static_cast<int64_t>(width);
  });
}
