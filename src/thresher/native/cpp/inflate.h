// Unpacking of zlib streams (RFC 1950 and 1951) whose unpacked size is known. Pixels of label maps repeat, so that
// nearly all time goes into copies, which are made whole and not byte by byte.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace thresher {

// Input that is damaged, or does not unpack to the size that was expected.
struct Damaged {};

class Inflater {
 public:
  Inflater(std::span<const uint8_t> packed, std::span<uint8_t> unpacked)
      : at_(packed.data()), end_(at_ + packed.size()), begin_(unpacked.data()), out_(begin_),
        limit_(begin_ + unpacked.size()) {}

  // Unpack everything; raises Damaged.
  void run() {
    const uint32_t method = take(8), flags = take(8);
    expect((method & 15) == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0 && !(flags & 32));
    while (read_block()) {
    }
    drop(count_ & 7);
    uint32_t sum = 0;
    for (int byte = 0; byte < 4; byte++) sum = sum << 8 | take(8);
    expect(out_ == limit_ && at_ == end_ && count_ == 0 && sum == checksum());
  }

 private:
  static constexpr int kLongest = 15;      // bits of a code
  static constexpr uint32_t kEnd = 256;    // the symbol after which a block ends
  static constexpr size_t kSymbols = 288, kDistances = 32, kLengthCodes = 19;

  static void expect(bool condition) {
    if (!condition) throw Damaged();
  }

  // The symbol of each sequence of `bits` bits that begins with its code: 16 times the symbol plus the code's length.
  struct Codes {
    std::vector<uint16_t> table;
    int bits = 1, used = 0;

    // `lengths` are those of the codes of all symbols; 0 for a symbol without one.
    explicit Codes(std::span<const uint8_t> lengths) {
      std::array<uint32_t, kLongest + 1> counts{};
      for (const uint8_t length : lengths) {
        if (!length) continue;
        counts[length]++;
        used++;
        bits = std::max<int>(bits, length);
      }
      uint32_t first = 0;
      for (size_t length = 1; length <= kLongest; length++) {
        first = (first + counts[length - 1]) << 1;
        expect(first + counts[length] <= uint32_t{1} << length);
        starts_[length] = first;
      }
      // All sequences must have a symbol, except with a single code or none, as for distances that do not occur.
      expect(used < 2 ? bits == 1 : first + counts[kLongest] == uint32_t{1} << kLongest);
      fill(lengths);
    }

   private:
    void fill(std::span<const uint8_t> lengths) {
      table.assign(size_t{1} << bits, 0);
      for (size_t symbol = 0; symbol < lengths.size(); symbol++) {
        const uint8_t length = lengths[symbol];
        if (!length) continue;
        const uint32_t code = starts_[length]++;
        uint32_t reversed = 0;
        for (int bit = 0; bit < length; bit++) reversed |= (code >> bit & 1) << (length - 1 - bit);
        for (size_t place = reversed; place < table.size(); place += size_t{1} << length)
          table[place] = static_cast<uint16_t>(symbol << 4 | length);
      }
    }

    std::array<uint32_t, kLongest + 1> starts_{};
  };

  // At least 48 bits, which a length and a distance need at most, unless the input ends.
  void refill() {
    if constexpr (std::endian::native == std::endian::little) {
      if (end_ - at_ >= 8) {
        uint64_t bytes;
        std::memcpy(&bytes, at_, 8);
        buffer_ |= bytes << count_;
        at_ += (63 - count_) >> 3;
        count_ |= 56;
        return;
      }
    }
    for (; count_ <= 56 && at_ != end_; count_ += 8) buffer_ |= uint64_t{*at_++} << count_;
  }

  void drop(int bits) {
    expect(bits <= count_);
    buffer_ >>= bits;
    count_ -= bits;
  }

  // The next bits, of those that `refill` has read.
  uint32_t bits(int number) {
    const uint32_t value = static_cast<uint32_t>(buffer_ & ((uint64_t{1} << number) - 1));
    drop(number);
    return value;
  }

  uint32_t take(int number) {
    refill();
    return bits(number);
  }

  uint32_t symbol(const Codes& codes) {
    const uint32_t entry = codes.table[buffer_ & (codes.table.size() - 1)];
    expect(entry != 0);
    drop(entry & 15);
    return entry >> 4;
  }

  // Whether another block follows.
  bool read_block() {
    const bool is_last = take(1);
    const uint32_t kind = bits(2);
    if (kind == 0) {
      copy_stored();
    } else if (kind == 1) {
      read_fixed();
    } else {
      expect(kind == 2);
      read_dynamic();
    }
    return !is_last;
  }

  void copy_stored() {
    drop(count_ & 7);
    const uint32_t size = take(16), complement = take(16);
    expect((size ^ complement) == 0xFFFF);
    at_ -= count_ >> 3;  // bytes that wait in the buffer
    buffer_ = 0;
    count_ = 0;
    expect(size <= static_cast<size_t>(end_ - at_) && size <= static_cast<size_t>(limit_ - out_));
    std::memcpy(out_, at_, size);
    at_ += size;
    out_ += size;
  }

  void read_fixed() {
    std::array<uint8_t, kSymbols> lengths;
    for (size_t symbol = 0; symbol < kSymbols; symbol++)
      lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
    std::array<uint8_t, kDistances> distances;
    distances.fill(5);
    read_symbols(Codes(lengths), Codes(distances));
  }

  void read_dynamic() {
    refill();
    const size_t symbols = bits(5) + 257, distances = bits(5) + 1, codes = bits(4) + 4;
    expect(symbols <= 286 && distances <= 30);
    constexpr std::array<uint8_t, kLengthCodes> kOrder{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::array<uint8_t, kLengthCodes> of_lengths{};
    for (size_t place = 0; place < codes; place++) of_lengths[kOrder[place]] = static_cast<uint8_t>(take(3));
    const Codes length_codes(of_lengths);
    expect(length_codes.used > 1);
    std::array<uint8_t, kSymbols + kDistances> lengths{};
    for (size_t at = 0; at < symbols + distances;) {
      refill();
      const uint32_t code = symbol(length_codes);
      if (code < 16) {
        lengths[at++] = static_cast<uint8_t>(code);
        continue;
      }
      expect(code != 16 || at > 0);
      const uint8_t repeated = code == 16 ? lengths[at - 1] : uint8_t{0};
      const size_t times = code == 16 ? 3 + bits(2) : code == 17 ? 3 + bits(3) : 11 + bits(7);
      expect(times <= symbols + distances - at);
      std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(at), times, repeated);
      at += times;
    }
    expect(lengths[kEnd] != 0);
    const std::span<const uint8_t> all(lengths);
    read_symbols(Codes(all.subspan(0, symbols)), Codes(all.subspan(symbols, distances)));
  }

  // Bytes, and copies of earlier ones, up to the end of the block.
  void read_symbols(const Codes& codes, const Codes& distances) {
    constexpr std::array<uint16_t, 29> kLengths{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    while (true) {
      refill();
      uint32_t next = symbol(codes);
      if (next < kEnd) {
        expect(out_ != limit_);
        *out_++ = static_cast<uint8_t>(next);
        continue;
      }
      if (next == kEnd) return;
      next -= kEnd + 1;
      expect(next < kLengths.size());
      const bool is_plain = next < 8 || next == 28;
      const size_t length = kLengths[next] + (is_plain ? 0 : bits(static_cast<int>(next / 4) - 1));
      const uint32_t code = symbol(distances);
      expect(code < 30);
      const int more = code < 4 ? 0 : static_cast<int>(code / 2) - 1;
      const size_t nearest = code < 4 ? code + 1 : (size_t{2 + code % 2} << more) + 1;
      copy(nearest + bits(more), length);
    }
  }

  void copy(size_t distance, size_t length) {
    expect(distance <= static_cast<size_t>(out_ - begin_) && length <= static_cast<size_t>(limit_ - out_));
    const uint8_t* const from = out_ - distance;
    while (length) {  // what was copied may be copied again: a multiple of the distance
      const size_t part = std::min(length, static_cast<size_t>(out_ - from));
      std::memcpy(out_, from, part);
      out_ += part;
      length -= part;
    }
  }

  // Adler-32.
  uint32_t checksum() const {
    constexpr uint32_t kModulus = 65521;
    constexpr size_t kBlock = 4096;  // 32 bits suffice for its sums
    uint32_t sum = 1, weighted = 0;
    for (const uint8_t* at = begin_; at != out_;) {
      const uint32_t size = static_cast<uint32_t>(std::min(kBlock, static_cast<size_t>(out_ - at)));
      uint32_t bytes = 0, falling = 0;
      for (uint32_t place = 0; place < size; place++) {
        bytes += at[place];
        falling += (size - place) * at[place];
      }
      weighted = (weighted + size * sum + falling % kModulus) % kModulus;
      sum = (sum + bytes) % kModulus;
      at += size;
    }
    return weighted << 16 | sum;
  }

  const uint8_t *at_, *end_;
  uint8_t *begin_, *out_, *limit_;
  uint64_t buffer_ = 0;
  int count_ = 0;
};

}  // namespace thresher
