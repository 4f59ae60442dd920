// Counts of BLEU.
#include <cstdlib>

#include "parallel.h"
#include "tokenizers.h"

using namespace thresher;

namespace {

// Length of the reference closest in length; of the shorter one on a tie
int64_t closest(const Tokens& ends, int64_t length) {
  int64_t best = -1, begin = 0;
  for (int32_t end : ends) {
    const int64_t size = end - begin, distance = std::llabs(size - length), least = std::llabs(best - length);
    if (best < 0 || distance < least || (distance == least && size < best)) best = size;
    begin = end;
  }
  return best;
}

// `read(side, text, out)` appends the tokens of a text: side 0 candidates, 1 references.
template <class Read>
class Bleu {
 public:
  explicit Bleu(Read read) : read_(read) {}

  // Matches of each order, length, length of the closest reference
  void count(int64_t row, const int64_t* first, int64_t orders, int64_t* out) {
    words.clear();
    arena.clear();
    ours_.clear();
    theirs_.clear();
    ends_.clear();
    read_(*this, 0, row, ours_);
    for (int64_t text = first[row]; text < first[row + 1]; text++) {
      read_(*this, 1, text, theirs_);
      ends_.push_back(static_cast<int32_t>(theirs_.size()));
    }
    shared_.count(ours_, theirs_, ends_, words.size(), orders, out);
    out[orders] = static_cast<int64_t>(ours_.size());
    out[orders + 1] = closest(ends_, out[orders]);
  }

  Interner words;
  Arena arena;

 private:
  Read read_;
  SharedNgrams shared_;
  Tokens ours_, theirs_, ends_;
};

void check_groups(const int64_t* first, int64_t n_first, int64_t rows, int64_t texts) {
  require(n_first == rows + 1 && first[0] >= 0 && first[rows] <= texts);
  for (int64_t row = 0; row < rows; row++) require(first[row] < first[row + 1]);
}

}  // namespace

// The references of row i are the texts first[i] to first[i + 1] - 1. counts: rows x (orders + 2)
THRESHER_API int32_t thresher_bleu_counts(const uint8_t* data, int64_t data_size, const int64_t* offsets,
                                          int64_t n_offsets, const uint8_t* reference_data,
                                          int64_t reference_data_size, const int64_t* reference_offsets,
                                          int64_t n_reference_offsets, const int64_t* first, int64_t n_first,
                                          int64_t tokenization, const uint8_t* classes, int64_t n_classes,
                                          int64_t orders, int64_t threads, int64_t* counts, int64_t n_counts) {
  return guarded([&] {
    const Texts sides[] = {{data, data_size, offsets, n_offsets},
                           {reference_data, reference_data_size, reference_offsets, n_reference_offsets}};
    const Characters characters(classes, n_classes);
    const int64_t rows = sides[0].rows;
    require(orders >= 1 && n_counts == rows * (orders + 2) && tokenization >= 0 && tokenization <= kChrfWords);
    check_groups(first, n_first, rows, sides[1].rows);
    for_rows(rows, threads, [&](int64_t, int64_t begin, int64_t end) {
      Tokenizer tokenizer(static_cast<Tokenization>(tokenization), characters);
      Bleu bleu([&](auto& work, int side, int64_t text, Tokens& out) {
        tokenizer.append(sides[side][text], work.words, work.arena, out);
      });
      for (int64_t row = begin; row < end; row++) bleu.count(row, first, orders, counts + row * (orders + 2));
    });
  });
}

// The same from tokens: those of text i are token_first[i] to token_first[i + 1] - 1; texts are all candidates, then
// all references.
THRESHER_API int32_t thresher_bleu_counts_of_tokens(const uint8_t* data, int64_t data_size, const int64_t* offsets,
                                                    int64_t n_offsets, const int64_t* token_first,
                                                    int64_t n_token_first, const int64_t* first, int64_t n_first,
                                                    int64_t orders, int64_t threads, int64_t* counts,
                                                    int64_t n_counts) {
  return guarded([&] {
    const Texts tokens(data, data_size, offsets, n_offsets);
    const int64_t rows = n_first - 1, texts = n_token_first - 1;
    require(rows >= 0 && texts >= rows && orders >= 1 && n_counts == rows * (orders + 2));
    require(token_first[0] >= 0 && token_first[texts] <= tokens.rows);
    for (int64_t text = 0; text < texts; text++) require(token_first[text] <= token_first[text + 1]);
    check_groups(first, n_first, rows, texts - rows);
    for_rows(rows, threads, [&](int64_t, int64_t begin, int64_t end) {
      Bleu bleu([&](auto& work, int side, int64_t text, Tokens& out) {
        text += side * rows;
        for (int64_t token = token_first[text]; token < token_first[text + 1]; token++)
          out.push_back(work.words.number(tokens[token]));
      });
      for (int64_t row = begin; row < end; row++) bleu.count(row, first, orders, counts + row * (orders + 2));
    });
  });
}
