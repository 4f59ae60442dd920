// The tokenizers of BLEU and chrF.
#pragma once
#include <string_view>

#include "arena.h"
#include "characters.h"
#include "ngrams.h"

namespace thresher {

enum Tokenization : int64_t { kWhitespace = 0, kValor = 1, kMteval = 2, kSingleCharacters = 3, kChrfWords = 4, kSeparated = 5 };

// Bytes to which passes over a text write; it grows only.
struct Scratch {
  std::vector<uint8_t> bytes;
  size_t size = 0;

  uint8_t* room(size_t needed) {
    if (bytes.size() < needed) bytes.resize(needed * 2);
    return bytes.data();
  }
  bool contains(uint8_t byte) const { return size && std::memchr(bytes.data(), byte, size) != nullptr; }
};

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

  // Tokens that Python has joined by zero bytes; an empty text has none.
  template <class Emit>
  static void separated(const Text& text, Emit emit) {
    for (int64_t begin = 0; begin < text.size || (begin == text.size && begin > 0);) {
      int64_t end = begin;
      while (end < text.size && text.bytes[end]) end++;
      emit(Text{text.bytes + begin, end - begin});
      begin = end + 1;
    }
  }

  void valor(const Text& text, Interner& words, Tokens& out) const;
  Text mteval(const Text& text, Arena& arena);

  Tokenization kind_;
  const Characters& characters_;
  Scratch from_, to_;
};

}  // namespace thresher
