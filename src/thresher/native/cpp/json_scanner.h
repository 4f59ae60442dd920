// Tokens of JSON in the usual form; everything else is left to a parser of all JSON.
#pragma once
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "abi.h"

namespace thresher {

// Input that another parser reads, and refuses with a message where it is malformed.
struct Unusual {};

inline void expect(bool condition) {
  if (!condition) throw Unusual();
}

// Reads one token after the other and throws `Unusual` at the first that has another form.
class JsonScanner {
 public:
  JsonScanner(const uint8_t* content, int64_t size)
      : begin_(reinterpret_cast<const char*>(content)), at_(begin_), end_(at_ + size) {}

  bool ended() {
    skip_blanks();
    return at_ == end_;
  }

  // Bytes before the next token.
  int64_t position() {
    skip_blanks();
    return at_ - begin_;
  }

  // Whether this is how the next token begins.
  bool precedes(char first) {
    skip_blanks();
    return peek() == first;
  }

  void take(char wanted) { expect(took(wanted)); }

  bool took(char wanted) {
    skip_blanks();
    if (at_ == end_ || *at_ != wanted) return false;
    at_++;
    return true;
  }

  // The name of a field, with its colon; names with escapes are unusual fields.
  std::string_view name() {
    take('"');
    const char* start = at_;
    while (at_ != end_ && *at_ != '"') at_++;
    const std::string_view name(start, static_cast<size_t>(at_ - start));
    take('"');
    take(':');
    return name;
  }

  int64_t integer() {
    skip_blanks();
    const bool negative = minus();
    uint64_t value = 0;
    expect(whole_part(value) <= kSafeDigits);
    expect(peek() != '.' && peek() != 'e' && peek() != 'E');
    return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  }

  double number() {
    skip_blanks();
    const char* start = at_;
    const bool negative = minus();
    uint64_t value = 0;
    std::ptrdiff_t digits = whole_part(value), decimals = 0;
    if (peek() == '.') {
      at_++;
      digits += decimals = run_of_digits(value);
      expect(decimals > 0);
    }
    if (peek() == 'e' || peek() == 'E') {
      exponent();
    } else if (digits <= kSafeDigits && value <= kExactInteger && decimals < std::ssize(kPowers)) {
      expect(value || decimals || !negative);  // the sign of -0 is left to the other parser
      const double size = static_cast<double>(value) / kPowers[static_cast<size_t>(decimals)];
      return negative ? -size : size;
    }
    return rounded(start);
  }

  // `count` numbers, in brackets.
  void list(double* numbers, int64_t count) {
    for (int64_t at = 0; at < count; at++) {
      take(at ? ',' : '[');
      numbers[at] = number();
    }
    take(']');
  }

  // One number or more, in brackets; how many.
  int64_t list_of_any(double* numbers, int64_t room) {
    int64_t count = 0;
    take('[');
    do {
      require(count < room);
      numbers[count++] = number();
    } while (took(','));
    take(']');
    return count;
  }

  // The characters between quotation marks, with their escapes.
  std::string_view text() {
    skip_blanks();
    const char* start = at_ + 1;
    skip_text();
    return {start, static_cast<size_t>(at_ - start - 1)};
  }

  // A value of lists, objects, texts and numbers.
  void skip_value(int levels) {
    skip_blanks();
    const char first = peek();
    if (first == '"') {
      skip_text();
    } else if (first == '[' || first == '{') {
      expect(levels > 0);
      at_++;
      skip_members(first == '{', levels - 1);
    } else {
      skip_number();
    }
  }

 private:
  char peek() const { return at_ == end_ ? '\0' : *at_; }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) at_++;
  }

  bool minus() {
    if (peek() != '-') return false;
    at_++;
    return true;
  }

  void skip_members(bool named, int levels) {
    const char closing = named ? '}' : ']';
    if (took(closing)) return;
    do {
      if (named) {
        skip_blanks();
        skip_text();
        take(':');
      }
      skip_value(levels);
    } while (took(','));
    take(closing);
  }

  // A text of ASCII with the escapes of one character, which compressed run lengths need.
  void skip_text() {
    expect(peek() == '"');
    for (at_++; at_ != end_ && *at_ != '"'; at_++) {
      expect(*at_ >= ' ' && *at_ <= '~');
      if (*at_ != '\\') continue;
      at_++;
      expect(peek() && std::strchr("\"\\/bfnrt", *at_));
    }
    expect(at_ != end_);
    at_++;
  }

  void skip_number() {
    const char* start = at_;
    uint64_t ignored = 0;
    minus();
    whole_part(ignored);
    if (peek() == '.') {
      at_++;
      expect(run_of_digits(ignored) > 0);
    }
    if (peek() == 'e' || peek() == 'E') exponent();
    expect(at_ - start <= kMostCharacters);
  }

  // Digits without a leading zero; their number.
  std::ptrdiff_t whole_part(uint64_t& value) {
    const bool zero = peek() == '0';
    const std::ptrdiff_t digits = run_of_digits(value);
    expect(digits == 1 || (digits > 1 && !zero));
    return digits;
  }

  std::ptrdiff_t run_of_digits(uint64_t& value) {
    const char* start = at_;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; at_++) value = 10 * value + static_cast<uint64_t>(*at_ - '0');
    return at_ - start;
  }

  void exponent() {
    at_++;
    if (peek() == '+' || peek() == '-') at_++;
    uint64_t ignored = 0;
    expect(run_of_digits(ignored) > 0);
  }

  // Numbers of many digits and with exponents.
  double rounded(const char* start) const {
    expect(at_ - start <= kMostCharacters);
#ifdef __cpp_lib_to_chars
    double value = 0;
    const auto [stop, code] = std::from_chars(start, at_, value);
    expect(code == std::errc() && stop == at_);
    return value;
#else  // some standard libraries cannot parse doubles yet
    throw Unusual();
#endif
  }

  static constexpr uint64_t kExactInteger = uint64_t{1} << 53;  // integers up to this are doubles
  // Powers of ten that are doubles: a quotient of two exact doubles is rounded once, as parsing must.
  static constexpr std::array<double, 23> kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  static constexpr std::ptrdiff_t kSafeDigits = 18;  // they fit 64 bits
  static constexpr std::ptrdiff_t kMostCharacters = 40;  // longer numbers are left to the parser that has limits

  const char *begin_, *at_, *end_;
};

}  // namespace thresher
