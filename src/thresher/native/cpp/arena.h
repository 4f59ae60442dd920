// Bytes that stay where they are until the pair of texts is done.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "texts.h"

namespace thresher {

class Arena {
 public:
  void clear() {
    if (blocks_.size() > 1) {  // later pairs use the largest block alone
      std::swap(blocks_.front(), blocks_.back());
      blocks_.resize(1);
    }
    used_ = 0;
  }

  uint8_t* take(int64_t size) {
    const size_t needed = static_cast<size_t>(size);
    if (blocks_.empty() || blocks_.back().size() - used_ < needed) {
      const size_t doubled = blocks_.empty() ? 4096 : blocks_.back().size() * 2;
      blocks_.emplace_back(needed > doubled ? needed : doubled);
      used_ = 0;
    }
    uint8_t* bytes = blocks_.back().data() + used_;
    used_ += needed;
    return bytes;
  }

  Text copy(const uint8_t* bytes, int64_t size) {
    uint8_t* stored = take(size);
    if (size) std::memcpy(stored, bytes, static_cast<size_t>(size));
    return {stored, size};
  }

 private:
  std::vector<std::vector<uint8_t>> blocks_;
  size_t used_ = 0;
};

}  // namespace thresher
