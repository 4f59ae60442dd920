// Average precision and recall of one label, under several vectors of weights of the images at once.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "hits_needed.h"
#include "numpy_sums.h"

namespace thresher {

constexpr size_t kBits = 32;

template <class Number, size_t kLanes>
struct alignas(sizeof(Number) * kLanes) Lanes : std::array<Number, kLanes> {};

// Predictions by label and falling score, true objects by label; bits are thresholds.
struct RankedObjects {
  const int32_t* images;
  const int64_t* starts;
  const void *hits, *ignored;
  bool wide;  // 32 bits, not 16
  const int32_t* ranks;
  uint32_t everywhere;  // predictions ignored at all of these thresholds are left out, as are
  int32_t most;         // those of this rank or a higher one
  const int32_t* truth_images;
  const int64_t* truth_starts;
  std::vector<size_t> thresholds;  // positions of the bits
  const double* recalls;
  size_t points;
};

// A prediction that is a hit or ignored at a threshold, and the weight of all predictions up to it.
struct Event {
  uint32_t hits, ignored;
  int32_t image;
};

template <size_t kLanes>
class LabelPrecision {
 public:
  using Counts = Lanes<int32_t, kLanes>;

  LabelPrecision(const RankedObjects& input, const std::vector<Counts>& weights)
      : input_(input), weights_(weights), tables_(input.recalls, input.points) {
    for (const size_t bit : input.thresholds) mask_ |= uint32_t{1} << bit;
    thresholds_.resize(kBits);
    terms_.resize(input.thresholds.size() * kLanes * input.points);
  }

  // Writes vectors x thresholds, `stride` apart, for `vectors` lanes.
  void evaluate(int64_t label, size_t vectors, double* precisions, double* recalls, size_t stride) {
    read(label);
    for (size_t at = 0; at < input_.thresholds.size(); at++)
      for (size_t lane = 0; lane < vectors; lane++)
        recalls[(lane * input_.thresholds.size() + at) * stride] =
            quotient(thresholds_[input_.thresholds[at]].hits[lane], lane);
    if (!input_.points) return;
    if (n_events_) step_back();
    for (size_t at = 0; at < input_.thresholds.size(); at++)
      for (size_t lane = 0; lane < vectors; lane++)
        precisions[(lane * input_.thresholds.size() + at) * stride] = precision(at, lane);
  }

 private:
  // What is left of one threshold, from the last prediction back to the first.
  struct Threshold {
    Counts hits, ignored;  // weights of the predictions up to here
    Counts needed;         // weight of hits that reaches the next lower recall
    std::array<size_t, kLanes> points, terms;
    Lanes<double, kLanes> highest;
    int64_t size;  // number of hits
    int64_t place;
  };

  static void add(Counts& sum, const Counts& counts) {
    for (size_t lane = 0; lane < kLanes; lane++) sum[lane] += counts[lane];
  }

  double quotient(int32_t hits, size_t lane) const {
    if (!positives_[lane]) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(hits) / static_cast<double>(positives_[lane]);
  }

  double precision(size_t at, size_t lane) const {
    if (!positives_[lane]) return std::numeric_limits<double>::quiet_NaN();
    const Threshold& threshold = thresholds_[input_.thresholds[at]];
    const Term* terms = &terms_[(at * kLanes + lane) * input_.points];
    return reduced(terms, threshold.terms[lane], threshold.size) / static_cast<double>(input_.points);
  }

  // Weights of true objects, of predictions up to each event, and of all hits.
  void read(int64_t label) {
    positives_.fill(0);
    for (int64_t row = input_.truth_starts[label]; row < input_.truth_starts[label + 1]; row++)
      add(positives_, weights_[static_cast<size_t>(input_.truth_images[row])]);
    for (const size_t bit : input_.thresholds) thresholds_[bit] = Threshold{};
    const int64_t begin = input_.starts[label], end = input_.starts[label + 1];
    if (input_.wide) find<uint32_t>(begin, end);
    else find<uint16_t>(begin, end);
    for (size_t row = 0; row < n_events_; row++) {
      const Event& event = events_[row];
      const Counts& weight = weights_[static_cast<size_t>(event.image)];
      for (uint32_t rest = event.hits; rest; rest &= rest - 1) {
        Threshold& threshold = thresholds_[static_cast<size_t>(std::countr_zero(rest))];
        add(threshold.hits, weight);
        threshold.size++;
      }
      for (uint32_t rest = event.ignored; rest; rest &= rest - 1)
        add(thresholds_[static_cast<size_t>(std::countr_zero(rest))].ignored, weight);
    }
  }

  // The events among rows, without branches: which predictions count and are hits is random.
  template <class Bits>
  void find(int64_t begin, int64_t end) {
    const auto *hits = static_cast<const Bits*>(input_.hits), *ignored = static_cast<const Bits*>(input_.ignored);
    const size_t rows = static_cast<size_t>(end - begin) + 1;
    if (events_.size() < rows) {
      counted_.resize(rows);
      events_.resize(rows);
      before_.resize(rows);
    }
    const auto everywhere = static_cast<Bits>(input_.everywhere);
    const int32_t *ranks = input_.ranks, most = input_.most;
    size_t counted = 0;
    for (int64_t row = begin; row < end; row++) {
      counted_[counted] = row;
      counted += ((ignored[row] & everywhere) != everywhere) & (ranks[row] < most);
    }
    Counts sum{};
    size_t events = 0;
    for (size_t at = 0; at < counted; at++) {
      const int64_t row = counted_[at];
      const int32_t image = input_.images[row];
      add(sum, weights_[static_cast<size_t>(image)]);
      const uint32_t hit = hits[row] & mask_, left_out = ignored[row] & mask_;
      events_[events] = {hit, left_out, image};
      before_[events] = sum;
      events += (hit | left_out) != 0;
    }
    n_events_ = events;
  }

  // Visit the events from the last to the first: the highest precision at a recall is the highest one from there on.
  void step_back() {
    tables_.forget();
    for (size_t lane = 0; lane < kLanes; lane++)
      needed_[lane] = positives_[lane] ? tables_.of(positives_[lane]) : nullptr;
    for (size_t at = 0; at < input_.thresholds.size(); at++) begin(thresholds_[input_.thresholds[at]]);
    for (size_t at = 0; at < kBits; at++) index_[at] = 0;
    for (size_t at = 0; at < input_.thresholds.size(); at++) index_[input_.thresholds[at]] = at;
    for (size_t row = n_events_; row-- > 0;) {
      const Event& event = events_[row];
      const Counts& weight = weights_[static_cast<size_t>(event.image)];
      for (uint32_t rest = event.hits; rest; rest &= rest - 1)
        hit(static_cast<size_t>(std::countr_zero(rest)), before_[row], weight);
      for (uint32_t rest = event.ignored; rest; rest &= rest - 1) {
        Counts& ignored = thresholds_[static_cast<size_t>(std::countr_zero(rest))].ignored;
        for (size_t lane = 0; lane < kLanes; lane++) ignored[lane] -= weight[lane];
      }
    }
  }

  void begin(Threshold& threshold) const {
    threshold.place = threshold.size;
    for (size_t lane = 0; lane < kLanes; lane++) {
      size_t points = positives_[lane] ? input_.points : 0;
      while (points && needed_[lane][points - 1] > threshold.hits[lane]) points--;
      next(threshold, lane, points);
    }
  }

  void next(Threshold& threshold, size_t lane, size_t points) const {
    threshold.points[lane] = points;
    threshold.needed[lane] =
        points ? needed_[lane][points - 1] : std::numeric_limits<int32_t>::min();
  }

  // Local copies and masks instead of branches: compilers turn these loops into vector instructions.
  void hit(size_t bit, const Counts& all, const Counts& weight) {
    Threshold& threshold = thresholds_[bit];
    const Counts hits = threshold.hits, ignored = threshold.ignored, needed = threshold.needed;
    Lanes<double, kLanes> highest = threshold.highest;
    for (size_t lane = 0; lane < kLanes; lane++) {
      const int32_t counted = all[lane] - ignored[lane];
      const int32_t none = -(counted == 0);  // all bits if the precision is 0/0
      const double precision = static_cast<double>(hits[lane] & ~none) / static_cast<double>(counted - none);
      highest[lane] = precision > highest[lane] ? precision : highest[lane];
    }
    threshold.highest = highest;
    Counts before;
    for (size_t lane = 0; lane < kLanes; lane++) before[lane] = hits[lane] - weight[lane];
    if (!--threshold.place) before.fill(-1);  // recall 0 is reached by the first hit, even without weight
    threshold.hits = before;
    int32_t reached = 0;
    for (size_t lane = 0; lane < kLanes; lane++) reached |= needed[lane] > before[lane];
    if (reached) reach(threshold, &terms_[index_[bit] * kLanes * input_.points]);
  }

  // Count the recalls that the hit at this place reaches.
  void reach(Threshold& threshold, Term* terms) const {
    for (size_t lane = 0; lane < kLanes; lane++) {
      const int32_t hits = threshold.hits[lane];
      if (threshold.needed[lane] <= hits) continue;
      const int32_t* needed = needed_[lane];
      size_t points = threshold.points[lane];
      while (points && needed[points - 1] > hits) points--;
      const double steps = static_cast<double>(threshold.points[lane] - points);
      terms[lane * input_.points + threshold.terms[lane]++] = {threshold.place, threshold.highest[lane] * steps};
      next(threshold, lane, points);
    }
  }

  const RankedObjects& input_;
  const std::vector<Counts>& weights_;
  uint32_t mask_ = 0;
  Counts positives_;
  std::vector<int64_t> counted_;  // rows of the label
  std::vector<Event> events_;
  std::vector<Counts> before_;
  size_t n_events_ = 0;
  HitsNeeded tables_;
  std::array<const int32_t*, kLanes> needed_;
  std::vector<Threshold> thresholds_;
  std::vector<Term> terms_;
  std::array<size_t, kBits> index_;
};

}  // namespace thresher
