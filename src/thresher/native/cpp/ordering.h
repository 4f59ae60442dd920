// Stable orders of integers, by digits from the lowest to the highest.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "abi.h"

namespace thresher {

class StableOrder {
 public:
  // Reorder positions so that their keys, which are at least 0, rise; equal keys keep the order.
  template <class Key>
  void sort(Key key_of, std::span<uint32_t> order) {
    uint64_t bits = 0;
    for (const uint32_t place : order) {
      require(key_of(place) >= 0);
      bits |= static_cast<uint64_t>(key_of(place));
    }
    if (order.size() < kFew) {  // clearing the counts of all digits would cost more
      std::stable_sort(order.begin(), order.end(),
                       [&](uint32_t one, uint32_t other) { return key_of(one) < key_of(other); });
      return;
    }
    const int width = static_cast<int>(std::bit_width(bits));
    const int lower = std::max(width - 32, 0);
    entries_.resize(order.size());
    for (size_t row = 0; row < order.size(); row++)
      entries_[row] = {static_cast<uint32_t>(static_cast<uint64_t>(key_of(order[row])) >> lower), order[row]};
    for (int shift = 0; shift < width - lower; shift += kDigit) by_digit(shift);
    // The lower bits of long keys (scores) rarely matter: they are compared where the others are equal.
    if (lower) within_runs(key_of);
    for (size_t row = 0; row < order.size(); row++) order[row] = entries_[row].place;
  }

 private:
  struct Entry {
    uint32_t key, place;
  };
  static constexpr size_t kFew = 512;
  static constexpr int kDigit = 11;  // bits
  static constexpr size_t kValues = size_t{1} << kDigit;

  void by_digit(int shift) {
    const auto digit_of = [&](const Entry& entry) { return static_cast<size_t>(entry.key >> shift) & (kValues - 1); };
    starts_.fill(0);
    for (const Entry& entry : entries_) starts_[digit_of(entry)]++;
    size_t start = 0;
    for (size_t& count : starts_) {
      const size_t next = start + count;
      count = start;
      start = next;
    }
    moved_.resize(entries_.size());
    for (const Entry& entry : entries_) moved_[starts_[digit_of(entry)]++] = entry;
    entries_.swap(moved_);
  }

  template <class Key>
  void within_runs(Key key_of) {
    const auto less = [&](const Entry& one, const Entry& other) { return key_of(one.place) < key_of(other.place); };
    for (auto begin = entries_.begin(); begin != entries_.end();) {
      auto end = begin + 1;
      while (end != entries_.end() && end->key == begin->key) end++;
      if (end - begin > 1 && !std::is_sorted(begin, end, less)) std::stable_sort(begin, end, less);
      begin = end;
    }
  }

  std::array<size_t, kValues> starts_;
  std::vector<Entry> entries_, moved_;
};

}  // namespace thresher
