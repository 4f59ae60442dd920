// N-grams that texts share.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "interner.h"

namespace thresher {

using Tokens = std::vector<int32_t>;  // numbers of the words of a pair

// Size of the multiset intersection of the n-grams of a candidate and its references.
class SharedNgrams {
 public:
  // shared[n - 1], n = 1..orders. An n-gram counts up to its largest frequency in any one reference.
  // `references` holds those of all references one after the other, `ends` where each ends.
  void count(const Tokens& candidate, const Tokens& references, const Tokens& ends, int32_t words, int64_t orders,
             int64_t* shared) {
    std::fill(shared, shared + orders, 0);
    ours_ = candidate;
    theirs_ = references;
    int32_t kinds = words;
    for (int64_t n = 1; n <= orders; n++) {
      const int64_t starts = static_cast<int64_t>(candidate.size()) - n + 1;
      if (starts <= 0) return;
      if (n > 1) kinds = extend(candidate, references, ends, static_cast<size_t>(n));
      const int64_t sum = sum_of_smaller(ends, starts, n, static_cast<size_t>(kinds));
      if (!sum) return;
      shared[n - 1] = sum;
    }
  }

 private:
  // Numbers of n-grams from those of (n-1)-grams and the last token; -1: it cannot be shared.
  int32_t extend(const Tokens& candidate, const Tokens& references, const Tokens& ends, size_t n) {
    grams_.clear(candidate.size());
    for (size_t at = 0; at + n <= candidate.size(); at++)
      if (ours_[at] >= 0) ours_[at] = grams_.number(key(ours_[at], candidate[at + n - 1]));
    size_t at = 0;
    for (int32_t end : ends) {
      for (; at + n <= static_cast<size_t>(end); at++)
        if (theirs_[at] >= 0) theirs_[at] = grams_.find(key(theirs_[at], references[at + n - 1]));
      at = static_cast<size_t>(end);
    }
    return grams_.size();
  }

  int64_t sum_of_smaller(const Tokens& ends, int64_t starts, int64_t n, size_t kinds) {
    in_candidate_.assign(kinds, 0);
    largest_.assign(kinds, 0);
    for (int64_t at = 0; at < starts; at++)
      if (const int32_t gram = ours_[static_cast<size_t>(at)]; gram >= 0) in_candidate_[static_cast<size_t>(gram)]++;
    if (ends.size() == 1) count_into(largest_, 0, ends[0], n);
    else largest_frequencies(ends, n, kinds);
    int64_t sum = 0;
    for (size_t gram = 0; gram < kinds; gram++) sum += std::min(in_candidate_[gram], largest_[gram]);
    for (int64_t at = 0; at < starts; at++) {
      int32_t& gram = ours_[static_cast<size_t>(at)];
      if (gram >= 0 && !largest_[static_cast<size_t>(gram)]) gram = -1;
    }
    return sum;
  }

  void count_into(Tokens& counts, int64_t begin, int64_t end, int64_t n) const {
    for (int64_t at = begin; at + n <= end; at++)
      if (const int32_t gram = theirs_[static_cast<size_t>(at)]; gram >= 0) counts[static_cast<size_t>(gram)]++;
  }

  void largest_frequencies(const Tokens& ends, int64_t n, size_t kinds) {
    in_reference_.assign(kinds, 0);
    int64_t begin = 0;
    for (int32_t end : ends) {
      count_into(in_reference_, begin, end, n);
      for (int64_t at = begin; at + n <= end; at++) {
        const int32_t gram = theirs_[static_cast<size_t>(at)];
        if (gram < 0) continue;
        int32_t& count = in_reference_[static_cast<size_t>(gram)];
        largest_[static_cast<size_t>(gram)] = std::max(largest_[static_cast<size_t>(gram)], count);
        count = 0;  // ready for the next reference
      }
      begin = end;
    }
  }

  static uint64_t key(int32_t gram, int32_t token) {
    return static_cast<uint64_t>(static_cast<uint32_t>(gram)) << 32 | static_cast<uint32_t>(token);
  }

  Numbering grams_;
  Tokens ours_, theirs_, in_candidate_, in_reference_, largest_;
};

}  // namespace thresher
