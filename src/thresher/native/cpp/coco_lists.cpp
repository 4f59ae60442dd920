// COCO's lists of annotations and results in their usual form: objects with the fields below and nothing else.
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>

#include "abi.h"

using namespace thresher;

namespace {

// Input that another parser reads, and refuses with a message where it is malformed.
struct Unusual {};

void expect(bool condition) {
  if (!condition) throw Unusual();
}

enum Field : uint32_t { kImage, kCategory, kBox, kScore, kArea, kId, kCrowd, kFields };

constexpr std::array<std::string_view, kFields> kNames{"image_id", "category_id", "bbox",   "score",
                                                       "area",     "id",          "iscrowd"};
constexpr uint64_t kExactInteger = uint64_t{1} << 53;  // integers up to this are doubles
// Powers of ten that are doubles: a quotient of two exact doubles is rounded once, as parsing must.
constexpr std::array<double, 23> kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::ptrdiff_t kSafeDigits = 18;  // they fit 64 bits
constexpr std::ptrdiff_t kMostCharacters = 40;  // longer numbers are left to the parser that has limits

constexpr uint32_t bit(Field field) { return uint32_t{1} << field; }

class Scanner {
 public:
  Scanner(const uint8_t* content, int64_t size)
      : at_(reinterpret_cast<const char*>(content)), end_(at_ + size) {}

  bool ended() {
    skip_blanks();
    return at_ == end_;
  }

  void take(char wanted) { expect(took(wanted)); }

  bool took(char wanted) {
    skip_blanks();
    if (at_ == end_ || *at_ != wanted) return false;
    at_++;
    return true;
  }

  // The name of a field, with its colon.
  Field field() {
    take('"');
    const char* start = at_;
    while (at_ != end_ && *at_ != '"') at_++;
    const std::string_view name(start, static_cast<size_t>(at_ - start));
    take('"');
    take(':');
    for (uint32_t one = 0; one < kFields; one++)
      if (name == kNames[one]) return static_cast<Field>(one);
    throw Unusual();
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

  const char *at_, *end_;
};

// Where the fields are written. `numbers` are scores or areas.
struct Columns {
  int64_t *images, *categories;
  double *boxes, *numbers;
  int64_t *ids, *crowd;
  Field measured;
};

// One object, whose opening brace was taken; which fields it has.
uint32_t read_object(Scanner& scanner, const Columns& columns, int64_t row) {
  uint32_t seen = 0;
  do {
    const Field field = scanner.field();
    expect(!(seen & bit(field)));
    seen |= bit(field);
    if (field == kImage) {
      columns.images[row] = scanner.integer();
    } else if (field == kCategory) {
      columns.categories[row] = scanner.integer();
    } else if (field == kId) {
      columns.ids[row] = scanner.integer();
    } else if (field == kCrowd) {
      columns.crowd[row] = scanner.integer();
    } else if (field == kBox) {
      for (int64_t side = 0; side < 4; side++) {
        scanner.take(side ? ',' : '[');
        columns.boxes[4 * row + side] = scanner.number();
      }
      scanner.take(']');
    } else {
      expect(field == columns.measured);
      columns.numbers[row] = scanner.number();
    }
  } while (scanner.took(','));
  scanner.take('}');
  return seen;
}

void read_list(Scanner scanner, const Columns& columns, int64_t room, int64_t& rows, int64_t& fields) {
  const uint32_t needed = bit(kImage) | bit(kCategory) | bit(kBox);
  const uint32_t mine = needed | (columns.measured == kScore ? bit(kScore) : bit(kId));
  uint32_t first = 0;
  scanner.take('[');
  do {
    scanner.take('{');
    require(rows < room);
    columns.crowd[rows] = 0;
    if (columns.measured == kArea) columns.numbers[rows] = std::numeric_limits<double>::quiet_NaN();
    const uint32_t seen = read_object(scanner, columns, rows);
    expect((seen & mine) == mine);
    if (!rows++) first = seen;
    expect(((seen ^ first) & bit(kId)) == 0);  // all objects have an id, or none
  } while (scanner.took(','));
  scanner.take(']');
  expect(scanner.ended());
  fields = first & bit(kId) ? 1 : 0;
}

}  // namespace

// Read a list of results (`scored`) or of annotations into columns with room for all objects; `numbers` are scores, or
// areas with NaN where they are missing. `found` are the number of objects, which is -1 for a list that is not of the
// usual form, and whether they have ids.
THRESHER_API int32_t thresher_coco_list(const uint8_t* content, int64_t size, int64_t scored, int64_t* images,
                                        int64_t room, int64_t* categories, int64_t category_room, double* boxes,
                                        int64_t sides, double* numbers, int64_t number_room, int64_t* ids,
                                        int64_t id_room, int64_t* crowd, int64_t crowd_room, int64_t* found,
                                        int64_t found_size) {
  return guarded([&] {
    require(category_room == room && sides == 4 * room && number_room == room && id_room == room);
    require(crowd_room == room && found_size == 2);
    int64_t rows = 0;
    try {
      const Columns columns{images, categories, boxes, numbers, ids, crowd, scored ? kScore : kArea};
      read_list(Scanner(content, size), columns, room, rows, found[1]);
      found[0] = rows;
    } catch (const Unusual&) {
      found[0] = -1;
    }
  });
}
