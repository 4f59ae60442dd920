// Classes of characters, which the running Python fills in: its versions differ about new characters.
#pragma once
#include "texts.h"

namespace thresher {

enum CharacterClass : uint8_t {
  kReWord = 1,     // \w of Python's re
  kSpace = 2,      // str.isspace
  kRegexDigit = 4, // \d of the package regex
  kRegexWord = 8,
  kRegexSpace = 16,
  kUnknown = 128,
};

constexpr int64_t kCharacters = 0x110000;

class Characters {
 public:
  Characters(const uint8_t* classes, int64_t size) : classes_(classes) { require(size == kCharacters); }

  bool is(uint32_t character, CharacterClass kind) const {
    return character < kCharacters && (classes_[character] & kind) != 0;
  }

 private:
  const uint8_t* classes_;
};

}  // namespace thresher
