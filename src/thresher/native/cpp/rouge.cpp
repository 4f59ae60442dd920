// Counts of ROUGE, as the package rouge-score makes them.
#include <array>

#include "arena.h"
#include "lcs.h"
#include "parallel.h"
#include "porter.h"

using namespace thresher;

namespace {

constexpr int64_t kShortestStemmed = 4;  // rouge-score stems words of more than three characters only

// ASCII letters and digits in lower case, line feeds, and spaces for everything else
constexpr std::array<uint8_t, 256> kFolded = [] {
  std::array<uint8_t, 256> table{};
  for (int byte = 0; byte < 256; byte++) {
    const bool kept = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '\n';
    const bool upper = byte >= 'A' && byte <= 'Z';
    table[static_cast<size_t>(byte)] = static_cast<uint8_t>(kept ? byte : upper ? byte + 32 : ' ');
  }
  return table;
}();

// The text with separators as spaces. Two characters beyond ASCII have ASCII in lower case: U+0130 is an i and a
// mark, U+212A (the sign of kelvin) a k without a separator.
Text folded(const Text& text, Arena& arena) {
  uint8_t* out = arena.take(text.size);
  int64_t size = 0;
  for (int64_t at = 0; at < text.size; at++) {
    const uint8_t* p = text.bytes + at;
    if (*p == 0xC4 && at + 1 < text.size && p[1] == 0xB0) out[size++] = 'i';
    else if (*p == 0xE2 && at + 2 < text.size && p[1] == 0x84 && p[2] == 0xAA) out[size++] = 'k', at += 2;
    else out[size++] = kFolded[*p];
  }
  return {out, size};
}

struct Side {
  Tokens tokens, ends;  // where each line ends; a text has at least one

  // Split at spaces and line feeds.
  void read(const Text& text, Interner& words) {
    tokens.clear();
    ends.clear();
    for (int64_t at = 0; at < text.size;) {
      const int64_t begin = at;
      while (at < text.size && text.bytes[at] != ' ' && text.bytes[at] != '\n') at++;
      if (at > begin) tokens.push_back(words.number({text.bytes + begin, at - begin}));
      if (at < text.size && text.bytes[at] == '\n') ends.push_back(static_cast<int32_t>(tokens.size()));
      at++;
    }
    ends.push_back(static_cast<int32_t>(tokens.size()));
  }
};

struct Options {
  bool fold, stem, lcs, union_lcs;
  int64_t orders;
};

class Rouge {
 public:
  explicit Rouge(const Options& options) : options_(options) {}

  // Tokens of the prediction, of the reference, shared n-grams of each order, LCS, its union by lines
  void count(const Text& prediction, const Text& reference, int64_t* out) {
    words_.clear();
    arena_.clear();
    ours_.read(options_.fold ? folded(prediction, arena_) : prediction, words_);
    theirs_.read(options_.fold ? folded(reference, arena_) : reference, words_);
    int32_t words = words_.size();
    if (options_.stem) words = stem();
    out[0] = static_cast<int64_t>(ours_.tokens.size());
    out[1] = static_cast<int64_t>(theirs_.tokens.size());
    shared_.count(ours_.tokens, theirs_.tokens, {static_cast<int32_t>(theirs_.tokens.size())}, words,
                  options_.orders, out + 2);
    if (options_.lcs) subsequences(words, out + 2 + options_.orders);
  }

 private:
  void subsequences(int32_t words, int64_t* out) {
    out[0] = out[1] = lcs_.length(theirs_.tokens, ours_.tokens, words);
    const bool lines = ours_.ends.size() > 1 || theirs_.ends.size() > 1;
    if (options_.union_lcs && lines && out[0] > 0)
      out[1] = lcs_.union_hits(ours_.tokens, ours_.ends, theirs_.tokens, theirs_.ends, words);
  }

  // Replace the numbers of words by those of their stems; each distinct word is stemmed once.
  int32_t stem() {
    stems_.clear();
    of_word_.clear();
    for (int32_t number = 0; number < words_.size(); number++) {
      Text word = words_.word(number);
      if (word.size >= kShortestStemmed) {
        uint8_t* copy = arena_.take(word.size);
        std::memcpy(copy, word.bytes, static_cast<size_t>(word.size));
        word = {copy, Porter::stem(copy, word.size)};
      }
      of_word_.push_back(stems_.number(word));
    }
    for (Tokens* tokens : {&ours_.tokens, &theirs_.tokens})
      for (int32_t& token : *tokens) token = of_word_[static_cast<size_t>(token)];
    return stems_.size();
  }

  Options options_;
  Interner words_, stems_;
  Arena arena_;
  Side ours_, theirs_;
  SharedNgrams shared_;
  Lcs lcs_;
  Tokens of_word_;
};

}  // namespace

// fold: read texts as rouge-score does; else tokens are separated by spaces already. lcs: 0, 1, or 2 with the union.
// counts: rows x (orders + 4)
THRESHER_API int32_t thresher_rouge_counts(const uint8_t* data, int64_t data_size, const int64_t* offsets,
                                           int64_t n_offsets, const uint8_t* reference_data,
                                           int64_t reference_data_size, const int64_t* reference_offsets,
                                           int64_t n_reference_offsets, int64_t fold, int64_t stem, int64_t orders,
                                           int64_t lcs, int64_t threads, int64_t* counts, int64_t n_counts) {
  return guarded([&] {
    const Texts predictions(data, data_size, offsets, n_offsets);
    const Texts references(reference_data, reference_data_size, reference_offsets, n_reference_offsets);
    require(orders >= 0 && predictions.rows == references.rows && n_counts == predictions.rows * (orders + 4));
    const Options options{fold != 0, stem != 0, lcs > 0, lcs > 1, orders};
    for_rows(predictions.rows, threads, [&](int64_t, int64_t begin, int64_t end) {
      Rouge rouge(options);
      for (int64_t row = begin; row < end; row++)
        rouge.count(predictions[row], references[row], counts + row * (orders + 4));
    });
  });
}

// Stem each word in place; sizes are those of the stems.
THRESHER_API int32_t thresher_porter_stems(uint8_t* data, int64_t data_size, const int64_t* offsets,
                                           int64_t n_offsets, int64_t* sizes, int64_t n_sizes) {
  return guarded([&] {
    const Texts words(data, data_size, offsets, n_offsets);
    require(n_sizes == words.rows);
    for (int64_t row = 0; row < words.rows; row++)
      sizes[row] = Porter::stem(data + offsets[row], offsets[row + 1] - offsets[row]);
  });
}
