// Sums of few terms with the last bit of numpy's sums over all values.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace thresher {

// One of the values whose sum is an average precision; all others are 0.
struct Term {
  int64_t at;
  double value;
};

// Sum as numpy adds `size` values from `first` on, so that the last bit is the same: blocks of up to 128 values, each
// of eight running sums. Adding 0 changes nothing, so only the other values, from the last term back, are visited.
inline double pairwise(const Term* terms, size_t& left, int64_t first, int64_t size) {
  if (!left || terms[left - 1].at >= first + size) return 0.0;
  if (size > 128) {
    const int64_t half = size / 2 - (size / 2) % 8;
    const double before = pairwise(terms, left, first, half);
    return before + pairwise(terms, left, first + half, size - half);
  }
  std::array<double, 8> sums{};
  const int64_t whole = size < 8 ? 0 : size - size % 8;
  for (; left && terms[left - 1].at < first + whole; left--)
    sums[static_cast<size_t>((terms[left - 1].at - first) % 8)] += terms[left - 1].value;
  double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; left && terms[left - 1].at < first + size; left--) sum += terms[left - 1].value;
  return sum;
}

// The sum of numpy's add.reduceat, which begins with the first value; `terms` are in falling order.
inline double reduced(const Term* terms, size_t left, int64_t size) {
  double first = 0.0;
  if (left && terms[left - 1].at == 0) first = terms[--left].value;
  return size > 1 ? first + pairwise(terms, left, 1, size - 1) : first;
}

}  // namespace thresher
