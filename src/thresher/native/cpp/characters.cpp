#include "characters.h"

using namespace thresher;

// Write the distinct characters beyond ASCII without a class into `found` and their number into `count`; their
// classes become 0.
THRESHER_API int32_t thresher_unknown_characters(const uint8_t* data, int64_t data_size, const int64_t* offsets,
                                                 int64_t n_offsets, uint8_t* classes, int64_t n_classes,
                                                 uint32_t* found, int64_t n_found, int64_t* count, int64_t n_count) {
  return guarded([&] {
    require(n_classes == kCharacters && n_found == kCharacters && n_count == 1);
    const Texts texts(data, data_size, offsets, n_offsets);
    *count = 0;
    for (int64_t row = 0; row < texts.rows; row++) {
      const Text text = texts[row];
      for (int64_t at = 0; at < text.size;) {
        if (text.bytes[at] < 0x80) {
          at++;
          continue;
        }
        uint32_t character;
        at = next_character(text, at, character);
        if (character >= kCharacters || classes[character] != kUnknown) continue;
        classes[character] = 0;
        found[(*count)++] = character;
      }
    }
  });
}
