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

class Bleu {
 public:
  Bleu(Tokenization tokenization, const Characters& characters) : tokenizer_(tokenization, characters) {}

  // Matches of each order, length, length of the closest reference. Those of the item are texts `begin` to `end`.
  void count(const Text& candidate, const Texts& references, int64_t begin, int64_t end, int64_t orders,
             int64_t* out) {
    words_.clear();
    arena_.clear();
    ours_.clear();
    theirs_.clear();
    ends_.clear();
    tokenizer_.append(candidate, words_, arena_, ours_);
    for (int64_t text = begin; text < end; text++) {
      tokenizer_.append(references[text], words_, arena_, theirs_);
      ends_.push_back(static_cast<int32_t>(theirs_.size()));
    }
    shared_.count(ours_, theirs_, ends_, words_.size(), orders, out);
    out[orders] = static_cast<int64_t>(ours_.size());
    out[orders + 1] = closest(ends_, out[orders]);
  }

 private:
  Tokenizer tokenizer_;
  Interner words_;
  Arena arena_;
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
    const Texts candidates(data, data_size, offsets, n_offsets);
    const Texts references(reference_data, reference_data_size, reference_offsets, n_reference_offsets);
    const Characters characters(classes, n_classes);
    const int64_t rows = candidates.rows;
    require(orders >= 1 && n_counts == rows * (orders + 2) && tokenization >= 0 && tokenization <= kSeparated);
    check_groups(first, n_first, rows, references.rows);
    for_rows(rows, threads, [&](int64_t, int64_t begin, int64_t end) {
      Bleu bleu(static_cast<Tokenization>(tokenization), characters);
      for (int64_t row = begin; row < end; row++)
        bleu.count(candidates[row], references, first[row], first[row + 1], orders, counts + row * (orders + 2));
    });
  });
}
