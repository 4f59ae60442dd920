// The tokenizers of BLEU and chrF.
#pragma once
#include <string_view>

#include "arena.h"
#include "characters.h"
#include "ngrams.h"

namespace thresher {

enum Tokenization : int64_t { kWhitespace = 0, kValor = 1, kMteval = 2, kSingleCharacters = 3, kChrfWords = 4 };

class Tokenizer {
 public:
  Tokenizer(Tokenization kind, const Characters& characters) : kind_(kind), characters_(characters) {}

  // Append the numbers of a text's tokens. Their bytes are the text's, or in `arena`.
  void append(const Text& text, Interner& words, Arena& arena, Tokens& out);

 private:
  template <class Emit>
  static void split(const Text& text, Emit emit) {
    int64_t begin = -1;
    for (int64_t at = 0; at < text.size;) {
      uint32_t character;
      const int64_t next = next_character(text, at, character);
      if (!is_space(character)) {
        if (begin < 0) begin = at;
      } else if (begin >= 0) {
        emit(Text{text.bytes + begin, at - begin});
        begin = -1;
      }
      at = next;
    }
    if (begin >= 0) emit(Text{text.bytes + begin, text.size - begin});
  }

  void valor(const Text& text, Interner& words, Tokens& out) const;
  Text mteval(const Text& text, Arena& arena);

  Tokenization kind_;
  const Characters& characters_;
  std::vector<uint8_t> from_, to_;
};

}  // namespace thresher
