#include "tokenizers.h"

#include <algorithm>
#include <array>

namespace thresher {

namespace {

bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
bool is_period_or_comma(uint8_t byte) { return byte == '.' || byte == ','; }

// str.replace by something shorter
void replace(Scratch& text, std::string_view old, std::string_view replacement) {
  if (!text.contains(static_cast<uint8_t>(old[0]))) return;
  char* bytes = reinterpret_cast<char*>(text.bytes.data());
  const std::string_view all(bytes, text.size);
  size_t at = 0, written = 0;
  const auto write = [&](const char* from, size_t size) {
    std::memmove(bytes + written, from, size);
    written += size;
  };
  for (size_t match; (match = all.find(old, at)) != all.npos; at = match + old.size()) {
    write(bytes + at, match - at);
    write(replacement.data(), replacement.size());
  }
  write(bytes + at, all.size() - at);
  text.size = written;
}

int64_t size_without_final_space(const Text& text) {
  int64_t size = 0;
  for (int64_t at = 0; at < text.size;) {
    uint32_t character;
    at = next_character(text, at, character);
    if (!is_space(character)) size = at;
  }
  return size;
}

constexpr std::array<bool, 256> kSymbols = [] {
  std::array<bool, 256> symbols{};
  for (uint32_t byte = 0; byte < 256; byte++)
    symbols[byte] = is_punctuation(byte) && byte != '\'' && byte != ',' && byte != '-' && byte != '.';
  return symbols;
}();

void space_symbols(const Scratch& text, Scratch& to) {
  uint8_t* out = to.room(text.size * 3 + 2);
  *out++ = ' ';
  for (size_t at = 0; at < text.size; at++) {
    const uint8_t byte = text.bytes[at];
    const bool symbol = kSymbols[byte];
    if (symbol) *out++ = ' ';
    *out++ = byte;
    if (symbol) *out++ = ' ';
  }
  *out++ = ' ';
  to.size = static_cast<size_t>(out - to.bytes.data());
}

// Two neighbours that `matches` accepts are both consumed, as by a regular expression of two characters; the bytes
// of longer characters are never a digit, a period or a comma, so single bytes give the same.
template <class Matches>
void split_pairs(const Scratch& text, Scratch& to, Matches matches, bool before, bool after) {
  uint8_t* out = to.room(text.size * 2 + 1);
  size_t at = 0;
  while (at + 1 < text.size) {
    const uint8_t first = text.bytes[at], second = text.bytes[at + 1];
    if (!matches(first, second)) {
      *out++ = first;
      at++;
      continue;
    }
    if (before) *out++ = ' ';
    *out++ = first;
    *out++ = ' ';
    *out++ = second;
    if (after) *out++ = ' ';
    at += 2;
  }
  if (at < text.size) *out++ = text.bytes[at];
  to.size = static_cast<size_t>(out - to.bytes.data());
}

}  // namespace

void Tokenizer::append(const Text& text, Interner& words, Arena& arena, Tokens& out) {
  const auto emit = [&](const Text& word) { out.push_back(words.number(word)); };
  switch (kind_) {
    case kWhitespace: return split(text, emit);
    case kValor: return valor(text, words, out);
    case kMteval: return split(mteval(text, arena), emit);
    case kSingleCharacters:
      return split(text, [&](const Text& word) {
        uint32_t character;
        for (int64_t at = 0, next; at < word.size; at = next) {
          next = next_character(word, at, character);
          emit({word.bytes + at, next - at});
        }
      });
    case kChrfWords:  // one mark of ASCII punctuation is split off the end, or else the start
      return split(text, [&](const Text& word) {
        const int64_t last = word.size - 1;
        if (last > 0 && is_punctuation(word.bytes[last])) emit({word.bytes, last}), emit({word.bytes + last, 1});
        else if (last > 0 && is_punctuation(word.bytes[0])) emit({word.bytes, 1}), emit({word.bytes + 1, last});
        else emit(word);
      });
    case kSeparated: return separated(text, emit);
  }
}

// \w+|\$\d+|[^\s.]+ of the package regex
void Tokenizer::valor(const Text& text, Interner& words, Tokens& out) const {
  const auto run = [&](int64_t at, auto belongs) {
    while (at < text.size) {
      uint32_t character;
      const int64_t next = next_character(text, at, character);
      if (!belongs(character)) break;
      at = next;
    }
    return at;
  };
  const auto word = [&](uint32_t c) { return characters_.is(c, kRegexWord); };
  const auto digit = [&](uint32_t c) { return characters_.is(c, kRegexDigit); };
  const auto other = [&](uint32_t c) { return c != '.' && !characters_.is(c, kRegexSpace); };
  for (int64_t at = 0; at < text.size;) {
    int64_t end = run(at, word);
    if (end == at && text.bytes[at] == '$' && (end = run(at + 1, digit)) == at + 1) end = at;
    if (end == at) end = run(at, other);
    uint32_t separator;
    if (end > at) out.push_back(words.number({text.bytes + at, end - at}));
    at = end > at ? end : next_character(text, at, separator);
  }
}

// mteval-v13a: the text with spaces where tokens end
Text Tokenizer::mteval(const Text& text, Arena& arena) {
  from_.size = static_cast<size_t>(size_without_final_space(text));
  std::copy(text.bytes, text.bytes + from_.size, from_.room(from_.size));
  replace(from_, "<skipped>", "");
  replace(from_, "-\n", "");
  replace(from_, "\n", " ");
  replace(from_, "&quot;", "\"");
  replace(from_, "&amp;", "&");
  replace(from_, "&lt;", "<");
  replace(from_, "&gt;", ">");
  space_symbols(from_, to_);
  std::swap(from_, to_);
  const auto pass = [&](auto matches, bool before, bool after) {
    split_pairs(from_, to_, matches, before, after);
    std::swap(from_, to_);
  };
  if (from_.contains('.') || from_.contains(',')) {
    pass([](uint8_t a, uint8_t b) { return is_period_or_comma(b) && !is_digit(a); }, false, true);
    pass([](uint8_t a, uint8_t b) { return is_period_or_comma(a) && !is_digit(b); }, true, false);
  }
  if (from_.contains('-')) pass([](uint8_t a, uint8_t b) { return b == '-' && is_digit(a); }, false, true);
  return arena.copy(from_.bytes.data(), static_cast<int64_t>(from_.size));
}

}  // namespace thresher
