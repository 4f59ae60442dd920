// Runs of equal pixels in the packed rows of a PNG file with three colours of eight bits.
#include <memory>
#include <span>
#include <vector>

#include "abi.h"
#include "inflate.h"

using namespace thresher;

namespace {

constexpr int64_t kBytes = 3;               // of a pixel
constexpr uint32_t kHighBits = 0x808080;    // of the three bytes
constexpr uint32_t kHalves = 0x7F7F7F;

enum Filter : uint8_t { kNone, kSub, kUp, kAverage, kPaeth };

inline uint32_t pixel(const uint8_t* at) {
  return uint32_t{at[0]} | uint32_t{at[1]} << 8 | uint32_t{at[2]} << 16;
}

// Sums of the bytes, each modulo 256.
inline uint32_t sums(uint32_t first, uint32_t second) {
  return ((first & kHalves) + (second & kHalves)) ^ ((first ^ second) & kHighBits);
}

// Means of the bytes, rounded down.
inline uint32_t means(uint32_t first, uint32_t second) {
  return (first & second) + (((first ^ second) >> 1) & kHalves);
}

inline int distance(int from, int to) { return from < to ? to - from : from - to; }

// The nearest neighbour of each byte to left + up - corner; the first one among equals.
inline uint32_t nearest(uint32_t left, uint32_t up, uint32_t corner) {
  if (up == corner) return left;
  if (left == corner) return up;
  uint32_t result = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const int a = left >> shift & 255, b = up >> shift & 255, c = corner >> shift & 255, goal = a + b - c;
    const int to_a = distance(goal, a), to_b = distance(goal, b), to_c = distance(goal, c);
    const int byte = to_a <= to_b && to_a <= to_c ? a : to_b <= to_c ? b : c;
    result |= static_cast<uint32_t>(byte) << shift;
  }
  return result;
}

// Replace the row above, `pixels`, by the next one, whose differences to what `predict` says are `bytes`.
template <class Predict>
void decode(const uint8_t* bytes, std::vector<uint32_t>& pixels, Predict predict) {
  uint32_t left = 0, corner = 0;
  for (uint32_t& value : pixels) {
    const uint32_t up = value;
    left = value = sums(pixel(bytes), predict(left, up, corner));
    corner = up;
    bytes += kBytes;
  }
}

// Whether the filter is known.
bool decode_row(uint8_t filter, const uint8_t* bytes, std::vector<uint32_t>& pixels) {
  if (filter == kNone) decode(bytes, pixels, [](uint32_t, uint32_t, uint32_t) { return uint32_t{0}; });
  else if (filter == kSub) decode(bytes, pixels, [](uint32_t left, uint32_t, uint32_t) { return left; });
  else if (filter == kUp) decode(bytes, pixels, [](uint32_t, uint32_t up, uint32_t) { return up; });
  else if (filter == kAverage) decode(bytes, pixels, [](uint32_t left, uint32_t up, uint32_t) { return means(left, up); });
  else if (filter == kPaeth) decode(bytes, pixels, nearest);
  else return false;
  return true;
}

// How many runs there are, or -1 for rows with an unknown filter, whose number is before their pixels.
int64_t find_runs(std::span<const uint8_t> rows, int64_t width, int32_t* starts, int32_t* values) {
  std::vector<uint32_t> pixels(static_cast<size_t>(width));
  int64_t runs = 0;
  int32_t at = 0;
  uint32_t last = ~uint32_t{0};  // no pixel
  for (const uint8_t *row = rows.data(), *end = row + rows.size(); row != end; row += 1 + kBytes * width) {
    if (!decode_row(*row, row + 1, pixels)) return -1;
    for (const uint32_t value : pixels) {
      if (value != last) {
        starts[runs] = at;
        values[runs++] = static_cast<int32_t>(value);
        last = value;
      }
      at++;
    }
  }
  return runs;
}

}  // namespace

// Write the first pixel and the value (R + 256 G + 65536 B) of each run, row by row, of an image whose rows `packed`
// has as a zlib stream. `found` is the number of runs, or -1 for input that is damaged or has another size.
THRESHER_API int32_t thresher_png_runs(const uint8_t* packed, int64_t size, int64_t height, int64_t width,
                                       int32_t* starts, int64_t room, int32_t* values, int64_t value_room,
                                       int64_t* found, int64_t one) {
  return guarded([&] {
    require(height > 0 && width > 0 && height <= INT32_MAX && width <= INT32_MAX / height);
    require(room == height * width && value_room == room && one == 1);
    const size_t bytes = static_cast<size_t>(height * (1 + kBytes * width));
    const std::unique_ptr<uint8_t[]> rows(new uint8_t[bytes]);  // not filled before
    try {
      Inflater({packed, static_cast<size_t>(size)}, {rows.get(), bytes}).run();
      *found = find_runs({rows.get(), bytes}, width, starts, values);
    } catch (const Damaged&) {
      *found = -1;
    }
  });
}
