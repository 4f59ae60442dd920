// Average precision and recall of each label, under many vectors of whole weights of the images.
#include <array>
#include <bit>
#include <limits>
#include <unordered_map>

#include "parallel.h"

using namespace thresher;

namespace {

constexpr size_t kBits = 32;
constexpr size_t kMostTables = 1 << 14;  // 7 MB for 101 recalls
constexpr size_t kManyLanes = 16;  // vectors processed together: their weights of an image fill a cache line

template <class Number, size_t kLanes>
struct alignas(sizeof(Number) * kLanes) Lanes : std::array<Number, kLanes> {};

// Predictions by label and falling score, true objects by label; bits are thresholds.
struct Input {
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

// One of the values whose sum is an average precision; all others are 0.
struct Term {
  int64_t at;
  double value;
};

// Sum as numpy adds `size` values from `first` on, so that the last bit is the same: blocks of up to 128 values, each
// of eight running sums. Adding 0 changes nothing, so only the other values, from the last term back, are visited.
double pairwise(const Term* terms, size_t& left, int64_t first, int64_t size) {
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
double reduced(const Term* terms, size_t left, int64_t size) {
  double first = 0.0;
  if (left && terms[left - 1].at == 0) first = terms[--left].value;
  return size > 1 ? first + pairwise(terms, left, 1, size - 1) : first;
}

// A prediction that is a hit or ignored at a threshold, and the weight of all predictions up to it.
struct Event {
  uint32_t hits, ignored;
  int32_t image;
};

// The smallest weight of hits that reaches each recall, for every weight of true objects that occurred: most vectors of
// weights, ranges of areas and labels share it.
class Needed {
 public:
  explicit Needed(const Input& input) : input_(input) {}

  // Valid until the next `forget`.
  const int32_t* of(int32_t positives) {
    std::vector<int32_t>& table = tables_[positives];
    if (table.empty()) fill(table, static_cast<double>(positives));
    return table.data();
  }

  void forget() {
    if (tables_.size() > kMostTables) tables_.clear();
  }

 private:
  void fill(std::vector<int32_t>& table, double positives) const {
    table.resize(input_.points);
    for (size_t point = 0; point < input_.points; point++) {
      const double recall = input_.recalls[point];
      int32_t hits = std::max(static_cast<int32_t>(recall * positives) - 1, 0);
      while (static_cast<double>(hits) / positives < recall) hits++;
      table[point] = hits;
    }
  }

  const Input& input_;
  std::unordered_map<int32_t, std::vector<int32_t>> tables_;
};

template <size_t kLanes>
class Label {
 public:
  using Counts = Lanes<int32_t, kLanes>;

  Label(const Input& input, const std::vector<Counts>& weights) : input_(input), weights_(weights), tables_(input) {
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

  const Input& input_;
  const std::vector<Counts>& weights_;
  uint32_t mask_ = 0;
  Counts positives_;
  std::vector<int64_t> counted_;  // rows of the label
  std::vector<Event> events_;
  std::vector<Counts> before_;
  size_t n_events_ = 0;
  Needed tables_;
  std::array<const int32_t*, kLanes> needed_;
  std::vector<Threshold> thresholds_;
  std::vector<Term> terms_;
  std::array<size_t, kBits> index_;
};

void check_images(const int32_t* images, int64_t begin, int64_t end, int64_t size) {
  uint32_t highest = 0;  // of negative numbers, too, which become large
  for (int64_t row = begin; row < end; row++) highest = std::max(highest, static_cast<uint32_t>(images[row]));
  require(begin == end || highest < static_cast<uint64_t>(std::min<int64_t>(size, int64_t{1} << 31)));
}

// Evaluate all labels under vectors x images weights, several vectors at a time.
template <size_t kLanes>
void evaluate(const Input& input, int64_t labels, const int32_t* weights, int64_t vectors, int64_t size,
              int64_t threads, double* precisions, double* recalls) {
  const std::vector<int64_t> order = largest_first(input.starts, labels);
  std::vector<Lanes<int32_t, kLanes>> lanes(static_cast<size_t>(size));
  std::vector<Label<kLanes>> workers(static_cast<size_t>(std::max<int64_t>(threads, 1)), {input, lanes});
  const int64_t row_size = static_cast<int64_t>(input.thresholds.size()) * labels;
  for (int64_t first = 0; first < vectors; first += static_cast<int64_t>(kLanes)) {
    const size_t count = static_cast<size_t>(std::min<int64_t>(vectors - first, kLanes));
    for (int64_t image = 0; image < size; image++)
      for (size_t lane = 0; lane < count; lane++)
        lanes[static_cast<size_t>(image)][lane] = weights[(first + static_cast<int64_t>(lane)) * size + image];
    const auto work = [&](int64_t worker, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) {
        const int64_t label = order[static_cast<size_t>(row)], cell = first * row_size + label;
        if (!first) {  // here, where several threads share the rows
          check_images(input.images, input.starts[label], input.starts[label + 1], size);
          check_images(input.truth_images, input.truth_starts[label], input.truth_starts[label + 1], size);
        }
        workers[static_cast<size_t>(worker)].evaluate(label, count, input.points ? precisions + cell : nullptr,
                                                      recalls + cell, static_cast<size_t>(labels));
      }
    };
    for_rows(labels, threads, work, 1);
  }
}

}  // namespace

// Arguments: predictions (image, where labels start, bits of hits and ignored, rank), the bits of all thresholds, the
// rank from which predictions are left out, true objects (image, where labels start), weights (vectors x images; no
// sum exceeds 32 bits), number of images, positions of thresholds, recalls (none: recall only), threads, and the
// results (vectors x thresholds x labels).
THRESHER_API int32_t thresher_average_precision(
    const int32_t* images, int64_t predictions, const int64_t* starts, int64_t edges, const void* hits,
    int64_t hit_rows, int64_t hit_bytes, const void* ignored, int64_t ignored_rows, int64_t ignored_bytes,
    const int32_t* ranks, int64_t rank_rows, int64_t everywhere, int64_t most, const int32_t* truth_images,
    int64_t truths, const int64_t* truth_starts, int64_t truth_edges, const int32_t* weights, int64_t weight_count,
    int64_t size, const int64_t* positions, int64_t thresholds, const double* recalls, int64_t points,
    int64_t threads, double* precisions, int64_t precision_count, double* label_recalls, int64_t recall_count) {
  return guarded([&] {
    require(edges > 0 && truth_edges == edges && hit_rows == predictions && ignored_rows == predictions);
    require(rank_rows == predictions && most <= std::numeric_limits<int32_t>::max());
    require(size > 0 && weight_count % size == 0);
    const int64_t labels = edges - 1, vectors = weight_count / size, cells = vectors * thresholds * labels;
    require(recall_count == cells && precision_count == (points ? cells : 0));
    check_edges(starts, edges, predictions);
    check_edges(truth_starts, edges, truths);
    require(hit_bytes == ignored_bytes);
    Input input{images, starts, hits, ignored, hit_bytes == sizeof(uint32_t), ranks,
                static_cast<uint32_t>(everywhere), static_cast<int32_t>(most),
                truth_images, truth_starts, {}, recalls, static_cast<size_t>(points)};
    for (int64_t at = 0; at < thresholds; at++) {
      require(positions[at] >= 0 && positions[at] < static_cast<int64_t>(kBits));
      input.thresholds.push_back(static_cast<size_t>(positions[at]));
    }
    const auto run = vectors == 1 ? evaluate<1> : evaluate<kManyLanes>;
    run(input, labels, weights, vectors, size, threads, precisions, label_recalls);
  });
}
