// Hash tables that are emptied in constant time, since every pair of texts begins with empty ones.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "texts.h"

namespace thresher {

inline uint64_t mixed(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15ULL;
  return x ^ (x >> 32);
}

template <class Integer>
Integer loaded(const uint8_t* from) {
  Integer value;
  std::memcpy(&value, from, sizeof value);  // of a constant size: one instruction
  return value;
}

// All bytes of a word of up to 8; the two halves overlap where it is shorter.
inline uint64_t short_word(const uint8_t* p, int64_t size) {
  if (size >= 4)
    return static_cast<uint64_t>(loaded<uint32_t>(p)) << 32 | loaded<uint32_t>(p + size - 4);
  if (size == 0) return 0;
  return static_cast<uint64_t>(p[0]) << 16 | static_cast<uint64_t>(p[size >> 1]) << 8 | p[size - 1];
}

inline uint64_t hash_of(const Text& word) {
  uint64_t hash = 0x9e3779b97f4a7c15ULL * static_cast<uint64_t>(word.size + 1);
  if (word.size <= 8) return mixed(hash ^ short_word(word.bytes, word.size));
  for (int64_t at = 0; at + 8 < word.size; at += 8) hash = mixed(hash ^ loaded<uint64_t>(word.bytes + at));
  return mixed(hash ^ loaded<uint64_t>(word.bytes + word.size - 8));
}

inline bool equal(const Text& a, const Text& b) {
  if (a.size != b.size) return false;
  if (a.size <= 8) return short_word(a.bytes, a.size) == short_word(b.bytes, a.size);
  if (a.size > 16) return !std::memcmp(a.bytes, b.bytes, static_cast<size_t>(a.size));
  const int64_t last = a.size - 8;
  return loaded<uint64_t>(a.bytes) == loaded<uint64_t>(b.bytes) &&
         loaded<uint64_t>(a.bytes + last) == loaded<uint64_t>(b.bytes + last);
}

// Numbers the distinct words of a pair 0, 1, 2, ...; words are compared, so equal hashes do no harm.
// It keeps addresses: the bytes must outlive the pair.
class Interner {
 public:
  void clear() {
    if (slots_.empty()) resize(1024);
    words_.clear();
    if (++stamp_ == 0) resize(slots_.size());
  }

  int32_t size() const { return static_cast<int32_t>(words_.size()); }
  const Text& word(int32_t number) const { return words_[static_cast<size_t>(number)]; }

  int32_t number(const Text& word) {
    const uint64_t hash = hash_of(word);
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (; slots_[at].stamp == stamp_; at = (at + 1) & mask)
      if (slots_[at].hash == hash && equal(words_[static_cast<size_t>(slots_[at].number)], word))
        return slots_[at].number;
    const int32_t number = size();
    slots_[at] = {hash, stamp_, number};
    words_.push_back(word);
    if (words_.size() * 2 > mask) resize(slots_.size() * 2);
    return number;
  }

 private:
  struct Slot {  // in one cache line
    uint64_t hash;
    uint32_t stamp;
    int32_t number;
  };

  void resize(size_t size) {
    slots_.assign(size, {0, 0, 0});
    stamp_ = 1;
    for (size_t number = 0; number < words_.size(); number++) {
      const uint64_t hash = hash_of(words_[number]);
      size_t at = hash & (size - 1);
      while (slots_[at].stamp == stamp_) at = (at + 1) & (size - 1);
      slots_[at] = {hash, stamp_, static_cast<int32_t>(number)};
    }
  }

  std::vector<Slot> slots_;
  std::vector<Text> words_;
  uint32_t stamp_ = 0;
};

// Numbers the distinct keys 0, 1, 2, ...
class Numbering {
 public:
  void clear(size_t expected) {
    size_t slots = 64;
    while (slots < expected * 2) slots *= 2;
    mask_ = slots - 1;  // small pairs use the front of a large table, which stays in the processor's cache
    size_ = 0;
    if (slots > slots_.size() || ++stamp_ == 0) {
      slots_.assign(std::max(slots, slots_.size()), {0, 0, 0});
      stamp_ = 1;
    }
  }

  int32_t size() const { return size_; }

  int32_t number(uint64_t key) {
    Slot& slot = slots_[place_of(key)];
    if (slot.stamp != stamp_) slot = {key, stamp_, size_++};
    return slot.number;
  }

  // -1 for an unknown key
  int32_t find(uint64_t key) const {
    const Slot& slot = slots_[place_of(key)];
    return slot.stamp == stamp_ ? slot.number : -1;
  }

 private:
  struct Slot {
    uint64_t key;
    uint32_t stamp;
    int32_t number;
  };

  size_t place_of(uint64_t key) const {
    size_t at = mixed(key) & mask_;
    while (slots_[at].stamp == stamp_ && slots_[at].key != key) at = (at + 1) & mask_;
    return at;
  }

  std::vector<Slot> slots_;
  uint32_t stamp_ = 0;
  size_t mask_ = 0;
  int32_t size_ = 0;
};

}  // namespace thresher
