// Pairs of labels of two label maps.
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
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

inline __m128i sixteen(const uint8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

// Bit k: pixel k of a group is the last one of a run; raises if a value minus `low` exceeds `last`.
inline uint64_t run_ends(const uint8_t* first, const uint8_t* second, __m128i low, __m128i last) {
  __m128i highest = _mm_setzero_si128();
  uint64_t ends = 0;
  for (size_t part = 0; part < kGroup; part += 16, first += 16, second += 16) {
    const __m128i ones = sixteen(first), others = sixteen(second);
    highest = _mm_max_epu8(highest, _mm_max_epu8(_mm_sub_epi8(ones, low), _mm_sub_epi8(others, low)));
    const __m128i equal =
        _mm_and_si128(_mm_cmpeq_epi8(ones, sixteen(first + 1)), _mm_cmpeq_epi8(others, sixteen(second + 1)));
    ends |= static_cast<uint64_t>(~_mm_movemask_epi8(equal) & 0xFFFF) << part;
  }
  require(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(highest, last), last)) == 0xFFFF);
  return ends;
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
        counts_(cells_ * (small_ ? kTables : 1)) {}

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

  void add(int64_t* counts) const {
    for (size_t from = 0; from < counts_.size(); from += cells_)
      for (size_t cell = 0; cell < cells_; cell++) counts[cell] += counts_[from + cell];
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

  // Maps mostly consist of runs, so the length of each one is added once.
  void count_runs(const uint8_t* first, const uint8_t* second, size_t pixels, uint8_t low) {
    const size_t width = static_cast<size_t>(width_);
    uint32_t* const counts = counts_.data();
    size_t start = 0, at = 0;
    const auto add_run = [&](size_t stop) {
      const size_t row = static_cast<uint8_t>(first[stop] - low), column = static_cast<uint8_t>(second[stop] - low);
      counts[row * width + column] += static_cast<uint32_t>(stop + 1 - start);
      start = stop + 1;
    };
#if defined(__SSE2__)
    const __m128i lowest = _mm_set1_epi8(static_cast<char>(low)), last = _mm_set1_epi8(static_cast<char>(width - 1));
    for (; at + kGroup < pixels; at += kGroup)
      for (uint64_t ends = run_ends(first + at, second + at, lowest, last); ends; ends &= ends - 1)
        add_run(at + static_cast<size_t>(std::countr_zero(ends)));
#endif
    for (; at < pixels; at++) {
      require(static_cast<uint8_t>(first[at] - low) < width && static_cast<uint8_t>(second[at] - low) < width);
      if (at + 1 == pixels || first[at] != first[at + 1] || second[at] != second[at + 1]) add_run(at);
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
  std::vector<uint32_t> counts_;
  std::array<uint8_t, kPixels> ones_, others_;
  std::array<uint16_t, kPixels> narrow_;
  std::array<uint32_t, kPixels> wide_;
};

template <class Value>
void count_pairs(const uint8_t* first, const uint8_t* second, int64_t pixels, int64_t low, int64_t width,
                 int64_t threads, int64_t* counts) {
  require(pixels <= std::numeric_limits<uint32_t>::max());
  std::vector<Table> tables(static_cast<size_t>(std::max<int64_t>(threads, 1)), Table(width));
  for_rows(
      pixels, threads,
      [&](int64_t worker, int64_t begin, int64_t end) {
        tables[static_cast<size_t>(worker)].template count<Value>(first, second, begin, end, low);
      },
      kBlock);
  for (const Table& table : tables) table.add(counts);
}

}  // namespace

// Count how often each pair of values occurs at one pixel, minus `low` below `width`, into `counts` (width x width).
// Values are integers of `bytes` bytes.
THRESHER_API int32_t thresher_pair_counts(const uint8_t* first, int64_t first_size, const uint8_t* second,
                                          int64_t second_size, int64_t bytes, int64_t is_signed, int64_t low,
                                          int64_t width, int64_t threads, int64_t* counts, int64_t cells) {
  return guarded([&] {
    require(first_size == second_size && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8));
    require(first_size % bytes == 0 && width > 0 && width <= 4096 && cells == width * width);
    const auto run = [&](auto of_unsigned, auto of_signed) {
      const auto count = is_signed ? count_pairs<decltype(of_signed)> : count_pairs<decltype(of_unsigned)>;
      count(first, second, first_size / bytes, low, width, threads, counts);
    };
    if (bytes == 1) run(uint8_t{}, int8_t{});
    else if (bytes == 2) run(uint16_t{}, int16_t{});
    else if (bytes == 4) run(uint32_t{}, int32_t{});
    else run(uint64_t{}, int64_t{});
  });
}
