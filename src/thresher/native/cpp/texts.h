// Columns of texts as UTF-8 bytes and offsets, the buffers of Arrow's large_string.
#pragma once
#include <limits>

#include "abi.h"

namespace thresher {

struct Text {
  const uint8_t* bytes;
  int64_t size;
};

struct Texts {
  const uint8_t* data;
  int64_t data_size;
  const int64_t* offsets;
  int64_t rows;

  Texts(const uint8_t* data_, int64_t data_size_, const int64_t* offsets_, int64_t n_offsets)
      : data(data_), data_size(data_size_), offsets(offsets_), rows(n_offsets - 1) {
    require(rows >= 0 && offsets[0] >= 0 && offsets[rows] <= data_size);
    for (int64_t row = 0; row < rows; row++) {
      // Tokens of a text are numbered with 32 bits.
      require(offsets[row] <= offsets[row + 1] &&
              offsets[row + 1] - offsets[row] < std::numeric_limits<int32_t>::max() / 2);
    }
  }

  Text operator[](int64_t row) const { return {data + offsets[row], offsets[row + 1] - offsets[row]}; }
};

// Decode the character at `at` of valid UTF-8 (or surrogates in its form) and return where the next one begins.
inline int64_t next_character(const Text& text, int64_t at, uint32_t& character) {
  const uint8_t* p = text.bytes + at;
  const int64_t left = text.size - at;
  if (p[0] < 0x80 || left < 2) return character = p[0], at + 1;
  if (p[0] < 0xE0 || left < 3) return character = (p[0] & 31u) << 6 | (p[1] & 63u), at + 2;
  if (p[0] < 0xF0 || left < 4)
    return character = (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u), at + 3;
  return character = (p[0] & 7u) << 18 | (p[1] & 63u) << 12 | (p[2] & 63u) << 6 | (p[3] & 63u), at + 4;
}

// The white space of Python's str.split.
inline bool is_space(uint32_t c) {
  if (c < 128) return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

constexpr bool is_punctuation(uint32_t c) {  // string.punctuation
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
}

}  // namespace thresher
