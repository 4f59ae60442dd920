// Pairs of labels of two label maps.
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "abi.h"
#include "parallel.h"

using namespace thresher;

namespace {

constexpr size_t kTables = 4;                   // equal pixels in a row would wait for each other in a single table
constexpr size_t kSmall = size_t{1} << 16;      // cells that 16 bits number; four tables of them fit the cache
constexpr int64_t kBlock = int64_t{1} << 16;    // pixels of a thread
constexpr size_t kPixels = 2048;                // pixels that are numbered before they are counted

// Counts of one thread; 32 bits suffice for what it counts before `add`.
class Table {
 public:
  explicit Table(int64_t width)
      : width_(static_cast<uint64_t>(width)),
        cells_(static_cast<size_t>(width * width)),
        small_(cells_ <= kSmall),
        counts_(cells_ * (small_ ? kTables : 1)) {}

  template <class Value>
  void count(const uint8_t* first, const uint8_t* second, int64_t begin, int64_t end, int64_t low) {
    for (; begin < end; begin += static_cast<int64_t>(kPixels)) {
      const size_t pixels = static_cast<size_t>(std::min<int64_t>(end - begin, static_cast<int64_t>(kPixels)));
      const size_t bytes = static_cast<size_t>(begin) * sizeof(Value);
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
  bool small_;
  std::vector<uint32_t> counts_;
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
