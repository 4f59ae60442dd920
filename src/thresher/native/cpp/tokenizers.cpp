#include "tokenizers.h"

namespace thresher {

namespace {

using Bytes = std::vector<uint8_t>;

bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
bool is_period_or_comma(uint8_t byte) { return byte == '.' || byte == ','; }

void add(Bytes& out, std::string_view bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

bool contains(const Bytes& text, uint8_t byte) {
  return !text.empty() && std::memchr(text.data(), byte, text.size()) != nullptr;
}

// str.replace, if the text contains the first byte of `old` at all
void replace(Bytes& text, Bytes& scratch, std::string_view old, std::string_view replacement) {
  if (!contains(text, static_cast<uint8_t>(old[0]))) return;
  scratch.clear();
  const std::string_view all(reinterpret_cast<const char*>(text.data()), text.size());
  size_t at = 0;
  for (size_t match; (match = all.find(old, at)) != all.npos; at = match + old.size()) {
    add(scratch, all.substr(at, match - at));
    add(scratch, replacement);
  }
  add(scratch, all.substr(at));
  text.swap(scratch);
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

void space_symbols(const Bytes& text, Bytes& out) {
  out.assign(1, ' ');
  for (uint8_t byte : text) {
    const bool symbol = is_punctuation(byte) && byte != '\'' && byte != ',' && byte != '-' && byte != '.';
    if (symbol) out.insert(out.end(), {' ', byte, ' '});
    else out.push_back(byte);
  }
  out.push_back(' ');
}

// Two neighbours that `matches` accepts are both consumed, as by a regular expression of two characters; the bytes
// of longer characters are never a digit, a period or a comma, so single bytes give the same.
template <class Matches>
void split_pairs(const Bytes& text, Bytes& out, Matches matches, bool before, bool after) {
  out.clear();
  for (size_t at = 0; at < text.size(); at++) {
    if (at + 1 == text.size() || !matches(text[at], text[at + 1])) {
      out.push_back(text[at]);
      continue;
    }
    if (before) out.push_back(' ');
    out.insert(out.end(), {text[at], ' ', text[at + 1]});
    if (after) out.push_back(' ');
    at++;
  }
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
  from_.assign(text.bytes, text.bytes + size_without_final_space(text));
  replace(from_, to_, "<skipped>", "");
  replace(from_, to_, "-\n", "");
  for (uint8_t& byte : from_)
    if (byte == '\n') byte = ' ';
  replace(from_, to_, "&quot;", "\"");
  replace(from_, to_, "&amp;", "&");
  replace(from_, to_, "&lt;", "<");
  replace(from_, to_, "&gt;", ">");
  space_symbols(from_, to_);
  split_pairs(to_, from_, [](uint8_t a, uint8_t b) { return !is_digit(a) && is_period_or_comma(b); }, false, true);
  split_pairs(from_, to_, [](uint8_t a, uint8_t b) { return is_period_or_comma(a) && !is_digit(b); }, true, false);
  split_pairs(to_, from_, [](uint8_t a, uint8_t b) { return is_digit(a) && b == '-'; }, false, true);
  return arena.copy(from_.data(), static_cast<int64_t>(from_.size()));
}

}  // namespace thresher
