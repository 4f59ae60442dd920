// SQuAD's normal form, and the tokens that two texts share in it.
#include <array>

#include "characters.h"
#include "ngrams.h"
#include "parallel.h"

using namespace thresher;

namespace {

// ASCII letters in lower case and digits; 0 for other bytes
constexpr std::array<uint8_t, 256> kAlphanumeric = [] {
  std::array<uint8_t, 256> table{};
  for (uint8_t byte = '0'; byte <= '9'; byte++) table[byte] = byte;
  for (uint8_t byte = 'a'; byte <= 'z'; byte++) table[byte] = table[byte - 32u] = byte;
  return table;
}();

// Tokens of the normal form of a text whose characters beyond ASCII are in lower case already. ASCII punctuation
// disappears, so that "the-the" is one word; a maximal run of word characters that is an article ends a token.
class Normaliser {
 public:
  Normaliser(const Characters& characters, Interner& words) : characters_(characters), words_(words) {}

  // `buffer` has room for the text.
  void tokens(const Text& text, uint8_t* buffer, Tokens& out) {
    out.clear();
    out_ = &out;
    buffer_ = buffer;
    size_ = token_ = 0;
    run_ = -1;
    for (int64_t at = 0; at < text.size;) {
      at = letters(text, at);
      if (at == text.size) break;
      if (text.bytes[at] == ' ') {  // what ends most words
        end_run();
        end_token();
        at++;
        continue;
      }
      uint32_t character;
      const int64_t next = next_character(text, at, character);
      if (character < 128) ascii(character);
      else other(text, at, next, character);
      at = next;
    }
    end_run();
    end_token();
  }

 private:
  // Copy what most texts consist of.
  int64_t letters(const Text& text, int64_t at) {
    const int64_t begin = at;
    for (uint8_t letter; at < text.size && (letter = kAlphanumeric[text.bytes[at]]) != 0; at++)
      buffer_[size_ + (at - begin)] = letter;
    if (at > begin && run_ < 0) run_ = size_;
    size_ += at - begin;
    return at;
  }

  void ascii(uint32_t c) {
    if (is_punctuation(c)) return;
    end_run();
    if (is_space(c)) end_token();
    else buffer_[size_++] = static_cast<uint8_t>(c);
  }

  void other(const Text& text, int64_t at, int64_t next, uint32_t c) {
    if (characters_.is(c, kReWord)) {
      if (run_ < 0) run_ = size_;
    } else {
      end_run();
    }
    if (characters_.is(c, kSpace)) end_token();
    else
      while (at < next) buffer_[size_++] = text.bytes[at++];
  }

  void end_run() {
    if (run_ >= 0 && is_article(run_)) {
      size_ = run_;
      end_token();
    }
    run_ = -1;
  }

  bool is_article(int64_t run) const {
    const uint8_t* p = buffer_ + run;
    const int64_t length = size_ - run;
    return (length == 1 && p[0] == 'a') || (length == 2 && p[0] == 'a' && p[1] == 'n') ||
           (length == 3 && p[0] == 't' && p[1] == 'h' && p[2] == 'e');
  }

  void end_token() {
    if (size_ > token_) out_->push_back(words_.number({buffer_ + token_, size_ - token_}));
    token_ = size_;
  }

  const Characters& characters_;
  Interner& words_;
  Tokens* out_ = nullptr;
  uint8_t* buffer_ = nullptr;
  int64_t size_ = 0, token_ = 0, run_ = -1;  // bytes written; where the token and the run of word characters began
};

// Size of the multiset intersection; `unmatched` is work space.
int64_t shared_tokens(const Tokens& ours, const Tokens& theirs, int32_t words, Tokens& unmatched) {
  unmatched.assign(static_cast<size_t>(words), 0);
  for (int32_t token : ours) unmatched[static_cast<size_t>(token)]++;
  int64_t shared = 0;
  for (int32_t token : theirs) {
    int32_t& left = unmatched[static_cast<size_t>(token)];
    const int32_t matched = left > 0;  // added up, since a branch would be mispredicted half of the time
    left -= matched;
    shared += matched;
  }
  return shared;
}

}  // namespace

// counts, rows x 4: shared tokens, tokens of the prediction, of the reference, 1 if the normal forms are equal
THRESHER_API int32_t thresher_squad_counts(const uint8_t* data, int64_t data_size, const int64_t* offsets,
                                           int64_t n_offsets, const uint8_t* reference_data,
                                           int64_t reference_data_size, const int64_t* reference_offsets,
                                           int64_t n_reference_offsets, const uint8_t* classes, int64_t n_classes,
                                           int64_t threads, int64_t* counts, int64_t n_counts) {
  return guarded([&] {
    const Texts predictions(data, data_size, offsets, n_offsets);
    const Texts references(reference_data, reference_data_size, reference_offsets, n_reference_offsets);
    const Characters characters(classes, n_classes);
    require(predictions.rows == references.rows && n_counts == 4 * predictions.rows);
    for_rows(predictions.rows, threads, [&](int64_t, int64_t begin, int64_t end) {
      Interner words;
      Normaliser normaliser(characters, words);
      Tokens ours, theirs, unmatched;
      std::vector<uint8_t> buffer;
      for (int64_t row = begin; row < end; row++) {
        const Text prediction = predictions[row], reference = references[row];
        const size_t needed = static_cast<size_t>(prediction.size + reference.size);
        if (buffer.size() < needed + 1) buffer.resize(needed * 2 + 64);
        words.clear();
        normaliser.tokens(prediction, buffer.data(), ours);
        normaliser.tokens(reference, buffer.data() + prediction.size, theirs);
        int64_t* row_counts = counts + 4 * row;
        row_counts[0] = shared_tokens(ours, theirs, words.size(), unmatched);
        row_counts[1] = static_cast<int64_t>(ours.size());
        row_counts[2] = static_cast<int64_t>(theirs.size());
        row_counts[3] = ours == theirs;
      }
    });
  });
}
