// Counts of chrF and chrF++.
#include "parallel.h"
#include "tokenizers.h"

using namespace thresher;

namespace {

constexpr int32_t kAscii = 128;  // these characters are their own numbers

class Chrf {
 public:
  Chrf(bool whitespace, const Characters& characters) : whitespace_(whitespace), words_of_(kChrfWords, characters) {}

  // Matches of characters and of words of each order; characters of both texts, words of both texts
  void count(const Text& prediction, const Text& reference, int64_t char_order, int64_t word_order, int64_t* out) {
    int64_t* lengths = out + char_order + word_order;
    words_.clear();
    read(prediction, ours_);
    read(reference, theirs_);
    compare(kAscii + words_.size(), char_order, out, lengths);
    if (!word_order) return;
    words_.clear();
    arena_.clear();
    ours_.clear();
    theirs_.clear();
    words_of_.append(prediction, words_, arena_, ours_);
    words_of_.append(reference, words_, arena_, theirs_);
    compare(words_.size(), word_order, out + char_order, lengths + 2);
  }

 private:
  void compare(int32_t kinds, int64_t orders, int64_t* out, int64_t* lengths) {
    shared_.count(ours_, theirs_, {static_cast<int32_t>(theirs_.size())}, kinds, orders, out);
    lengths[0] = static_cast<int64_t>(ours_.size());
    lengths[1] = static_cast<int64_t>(theirs_.size());
  }

  void read(const Text& text, Tokens& out) {
    out.clear();
    for (int64_t at = 0; at < text.size;) {
      uint32_t character;
      const int64_t next = next_character(text, at, character);
      if (whitespace_ || !is_space(character)) {
        const bool ascii = character < kAscii;
        out.push_back(ascii ? static_cast<int32_t>(character) : kAscii + words_.number({text.bytes + at, next - at}));
      }
      at = next;
    }
  }

  bool whitespace_;
  Tokenizer words_of_;
  Interner words_;  // or characters beyond ASCII
  Arena arena_;
  SharedNgrams shared_;
  Tokens ours_, theirs_;
};

}  // namespace

// counts: rows x (char_order + word_order + 4)
THRESHER_API int32_t thresher_chrf_counts(const uint8_t* data, int64_t data_size, const int64_t* offsets,
                                          int64_t n_offsets, const uint8_t* reference_data,
                                          int64_t reference_data_size, const int64_t* reference_offsets,
                                          int64_t n_reference_offsets, int64_t char_order, int64_t word_order,
                                          int64_t whitespace, const uint8_t* classes, int64_t n_classes,
                                          int64_t threads, int64_t* counts, int64_t n_counts) {
  return guarded([&] {
    const Texts predictions(data, data_size, offsets, n_offsets);
    const Texts references(reference_data, reference_data_size, reference_offsets, n_reference_offsets);
    const Characters characters(classes, n_classes);
    const int64_t width = char_order + word_order + 4;
    require(char_order >= 0 && word_order >= 0 && predictions.rows == references.rows);
    require(n_counts == predictions.rows * width);
    for_rows(predictions.rows, threads, [&](int64_t, int64_t begin, int64_t end) {
      Chrf chrf(whitespace != 0, characters);
      for (int64_t row = begin; row < end; row++)
        chrf.count(predictions[row], references[row], char_order, word_order, counts + row * width);
    });
  });
}
