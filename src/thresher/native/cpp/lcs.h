// Longest common subsequences, bit-parallel (Hyyrö 2004): column j of the table t[i][j] is stored as the bits of
// t[i][j] - t[i-1][j]. Rows are cut into words of 64; each word passes over all columns before the next one, so that
// the places of tokens need one word each however long the texts are.
#pragma once
#include <bit>
#include <cstdint>

#include "ngrams.h"

namespace thresher {

class Lcs {
 public:
  // Length of the longest common subsequence of two texts.
  int64_t length(const Tokens& rows, const Tokens& columns, int32_t words) {
    places_.assign(static_cast<size_t>(words), 0);
    carries_.assign(columns.size(), 0);
    int64_t length = 0;
    const size_t n = rows.size();
    for (size_t begin = 0; begin < n; begin += 64) {
      const size_t end = std::min(n, begin + 64);
      mark(rows, begin, end);
      const uint64_t unchanged = last_column(columns);
      unmark(rows, begin, end);
      length += std::popcount(~unchanged & low_bits(end - begin));
    }
    return length;
  }

  // ROUGE-Lsum's hits: for each line of the reference the union of its positions in the subsequences with all lines
  // of the candidate; a token counts at most as often as it occurs in the candidate.
  int64_t union_hits(const Tokens& candidate, const Tokens& candidate_ends, const Tokens& reference,
                     const Tokens& reference_ends, int32_t words) {
    places_.assign(static_cast<size_t>(words), 0);
    balance_.assign(static_cast<size_t>(words), 0);
    for (int32_t token : candidate) balance_[static_cast<size_t>(token)]++;
    int64_t hits = 0;
    size_t begin = 0;
    for (int32_t line_end : reference_ends) {
      const size_t end = static_cast<size_t>(line_end);
      if (end > begin) hits += hits_of_line(candidate, candidate_ends, reference, begin, end);
      begin = end;
    }
    return hits;
  }

 private:
  static uint64_t low_bits(size_t count) { return count >= 64 ? ~0ULL : (1ULL << count) - 1; }

  void mark(const Tokens& rows, size_t begin, size_t end) {
    for (size_t at = begin; at < end; at++) places_[static_cast<size_t>(rows[at])] |= 1ULL << (at - begin);
  }

  void unmark(const Tokens& rows, size_t begin, size_t end) {
    for (size_t at = begin; at < end; at++) places_[static_cast<size_t>(rows[at])] = 0;
  }

  // One step to the next column; the carry goes to the next word of rows.
  static uint64_t step(uint64_t unchanged, uint64_t matches, uint8_t& carry) {
    const uint64_t sum = unchanged + (unchanged & matches);
    const uint64_t total = sum + carry;
    carry = static_cast<uint8_t>((sum < unchanged) | (total < sum));
    return total | (unchanged & ~matches);
  }

  uint64_t last_column(const Tokens& columns) {
    uint64_t unchanged = ~0ULL;
    for (size_t column = 0; column < columns.size(); column++)
      unchanged = step(unchanged, places_[static_cast<size_t>(columns[column])], carries_[column]);
    return unchanged;
  }

  int64_t hits_of_line(const Tokens& candidate, const Tokens& candidate_ends, const Tokens& reference, size_t begin,
                       size_t end) {
    const size_t width = (end - begin + 63) / 64;
    fill_stops(candidate, candidate_ends, reference, begin, end, width);
    union_.assign(width, 0);
    size_t line_begin = 0;
    for (int32_t line_end : candidate_ends) {
      walk_back(candidate, line_begin, static_cast<size_t>(line_end), reference, begin, end, width);
      line_begin = static_cast<size_t>(line_end);
    }
    int64_t hits = 0;
    for (size_t at = begin; at < end; at++)
      if (union_[(at - begin) / 64] >> ((at - begin) & 63) & 1) hits += balance_[static_cast<size_t>(reference[at])]-- > 0;
    return hits;
  }

  // For each column the rows where walking up stops: at a match, or where the table grows.
  void fill_stops(const Tokens& candidate, const Tokens& candidate_ends, const Tokens& reference, size_t begin,
                  size_t end, size_t width) {
    stops_.resize(candidate.size() * width);
    carries_.assign(candidate.size(), 0);
    for (size_t word = 0; word < width; word++) {
      const size_t first = begin + word * 64, last = std::min(end, first + 64);
      mark(reference, first, last);
      size_t column = 0;
      for (int32_t line_end : candidate_ends) {
        uint64_t unchanged = ~0ULL;
        for (; column < static_cast<size_t>(line_end); column++) {
          const uint64_t matches = places_[static_cast<size_t>(candidate[column])];
          unchanged = step(unchanged, matches, carries_[column]);
          stops_[column * width + word] = ~unchanged | matches;
        }
      }
      unmark(reference, first, last);
    }
  }

  // rouge-score's choice among equal subsequences: from both ends, equal tokens are taken; else to the left where
  // the table is larger there, else up.
  void walk_back(const Tokens& candidate, size_t line_begin, size_t line_end, const Tokens& reference, size_t begin,
                 size_t end, size_t width) {
    size_t rows = end - begin;  // those above are allowed
    for (size_t column = line_end; column-- > line_begin && rows > 0;) {
      const int64_t stop = highest_stop(&stops_[column * width], rows);
      if (stop < 0) return;
      const size_t row = static_cast<size_t>(stop);
      const bool equal = reference[begin + row] == candidate[column];
      if (equal) union_[row / 64] |= 1ULL << (row & 63);
      rows = equal ? row : row + 1;
    }
  }

  static int64_t highest_stop(const uint64_t* stops, size_t rows) {
    size_t word = (rows - 1) / 64;
    uint64_t stop = stops[word] & low_bits(rows - word * 64);
    while (!stop && word > 0) stop = stops[--word];
    return stop ? static_cast<int64_t>(word * 64 + 63) - std::countl_zero(stop) : -1;
  }

  std::vector<uint64_t> places_, stops_, union_;
  std::vector<uint8_t> carries_;
  Tokens balance_;  // occurrences in the candidate that no reference line has used
};

}  // namespace thresher
