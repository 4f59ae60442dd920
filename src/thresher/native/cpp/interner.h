// Hash tables that are emptied in constant time, since every pair of texts begins with empty ones.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "texts.h"

namespace thresher {

inline uint64_t mixed(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

inline uint64_t hash_of(const Text& word) {
  uint64_t hash = 0x9e3779b97f4a7c15ULL ^ static_cast<uint64_t>(word.size);
  const uint8_t* p = word.bytes;
  int64_t left = word.size;
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t part;
    std::memcpy(&part, p, 8);
    hash = mixed(hash ^ part);
  }
  if (left > 0) {
    uint64_t part = 0;
    std::memcpy(&part, p, static_cast<size_t>(left));
    hash = mixed(hash ^ part);
  }
  return hash;
}

// Numbers the distinct words of a pair 0, 1, 2, ...; words are compared, so equal hashes do no harm.
// It keeps addresses: the bytes must outlive the pair.
class Interner {
 public:
  void clear() {
    if (stamps_.empty()) resize(1024);
    words_.clear();
    hashes_.clear();
    if (++stamp_ == 0) {
      std::fill(stamps_.begin(), stamps_.end(), 0);
      stamp_ = 1;
    }
  }

  int32_t size() const { return static_cast<int32_t>(words_.size()); }
  const Text& word(int32_t number) const { return words_[static_cast<size_t>(number)]; }

  int32_t number(const Text& word) {
    const uint64_t hash = hash_of(word);
    size_t slot = hash & mask_;
    for (; stamps_[slot] == stamp_; slot = (slot + 1) & mask_) {
      const size_t known = static_cast<size_t>(numbers_[slot]);
      if (hashes_[known] == hash && words_[known].size == word.size &&
          !std::memcmp(words_[known].bytes, word.bytes, static_cast<size_t>(word.size)))
        return static_cast<int32_t>(known);
    }
    const int32_t number = size();
    stamps_[slot] = stamp_;
    numbers_[slot] = number;
    words_.push_back(word);
    hashes_.push_back(hash);
    if (words_.size() * 2 > mask_) resize((mask_ + 1) * 2);
    return number;
  }

 private:
  void resize(size_t slots) {
    stamps_.assign(slots, 0);
    numbers_.assign(slots, 0);
    mask_ = slots - 1;
    stamp_ = 1;
    for (size_t number = 0; number < words_.size(); number++) {
      size_t slot = hashes_[number] & mask_;
      while (stamps_[slot] == stamp_) slot = (slot + 1) & mask_;
      stamps_[slot] = stamp_;
      numbers_[slot] = static_cast<int32_t>(number);
    }
  }

  std::vector<uint32_t> stamps_;
  std::vector<int32_t> numbers_;
  std::vector<Text> words_;
  std::vector<uint64_t> hashes_;
  uint32_t stamp_ = 0;
  size_t mask_ = 0;
};

// Numbers the distinct keys 0, 1, 2, ...
class Numbering {
 public:
  void clear(size_t expected) {
    size_t slots = 64;
    while (slots < expected * 2) slots *= 2;
    if (slots > stamps_.size()) {
      stamps_.assign(slots, 0);
      keys_.resize(slots);
      numbers_.resize(slots);
      stamp_ = 0;
    }
    mask_ = slots - 1;  // small pairs use the front of a large table, which stays in the processor's cache
    size_ = 0;
    if (++stamp_ == 0) {
      std::fill(stamps_.begin(), stamps_.end(), 0);
      stamp_ = 1;
    }
  }

  int32_t size() const { return size_; }

  int32_t number(uint64_t key) {
    size_t slot = slot_of(key);
    if (stamps_[slot] == stamp_) return numbers_[slot];
    stamps_[slot] = stamp_;
    keys_[slot] = key;
    return numbers_[slot] = size_++;
  }

  // -1 for an unknown key
  int32_t find(uint64_t key) const {
    const size_t slot = slot_of(key);
    return stamps_[slot] == stamp_ ? numbers_[slot] : -1;
  }

 private:
  size_t slot_of(uint64_t key) const {
    size_t slot = mixed(key) & mask_;
    while (stamps_[slot] == stamp_ && keys_[slot] != key) slot = (slot + 1) & mask_;
    return slot;
  }

  std::vector<uint32_t> stamps_;
  std::vector<uint64_t> keys_;
  std::vector<int32_t> numbers_;
  uint32_t stamp_ = 0;
  size_t mask_ = 0;
  int32_t size_ = 0;
};

}  // namespace thresher
