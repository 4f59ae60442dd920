#include <algorithm>
#include <cstring>

#include "texts.h"

using namespace thresher;

namespace {

constexpr int64_t kBlock = 32;  // bytes that are tested together, in vector registers
constexpr int64_t kLongest = 6;  // bytes of the JSON of one byte: a backslash, u and four digits

// Without branches, so that the compiler tests a block in vector registers.
constexpr uint8_t is_special(uint8_t c) {
  return static_cast<uint8_t>((c < ' ') | (c > '~') | (c == '"') | (c == '\\'));
}

bool are_plain(const uint8_t* bytes) {
  uint8_t special = 0;
  for (int64_t at = 0; at < kBlock; at++) special |= is_special(bytes[at]);
  return !special;
}

uint8_t short_escape(uint8_t character) {
  switch (character) {
    case '"':
    case '\\': return character;
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
  }
}

uint8_t* put_escaped(uint8_t* out, uint8_t character) {
  constexpr char digits[] = "0123456789abcdef";
  *out++ = '\\';
  if (const uint8_t letter = short_escape(character)) {
    *out++ = letter;
    return out;
  }
  for (const char zero : {'u', '0', '0'}) *out++ = static_cast<uint8_t>(zero);
  *out++ = static_cast<uint8_t>(digits[character >> 4]);
  *out++ = static_cast<uint8_t>(digits[character & 15]);
  return out;
}

uint8_t* put_text(uint8_t* out, const Text& text) {
  *out++ = '"';
  for (int64_t at = 0; at < text.size;) {
    if (text.size - at >= kBlock && are_plain(text.bytes + at)) {
      std::memcpy(out, text.bytes + at, kBlock);
      out += kBlock, at += kBlock;
      continue;
    }
    for (const int64_t end = std::min(at + kBlock, text.size); at < end; at++) {
      const uint8_t character = text.bytes[at];
      require(character < 0x80);
      if (is_special(character)) {
        out = put_escaped(out, character);
      } else {
        *out++ = character;
      }
    }
  }
  *out++ = '"';
  return out;
}

}  // namespace

// Write the JSON of a list of texts that are ASCII, as Python's json.dumps does, and its number of bytes into `size`.
THRESHER_API int32_t thresher_json_texts(const uint8_t* data, int64_t data_size, const int64_t* offsets,
                                         int64_t n_offsets, uint8_t* json, int64_t n_json, int64_t* size,
                                         int64_t n_size) {
  return guarded([&] {
    const Texts texts(data, data_size, offsets, n_offsets);
    require(n_size == 1 && n_json >= kLongest * data_size + 4 * texts.rows + 2);
    uint8_t* out = json;
    *out++ = '[';
    for (int64_t row = 0; row < texts.rows; row++) {
      if (row) *out++ = ',', *out++ = ' ';
      out = put_text(out, texts[row]);
    }
    *out++ = ']';
    *size = out - json;
  });
}
