// Precision, recall and score of COCO's evaluation for each threshold, label, range of areas and number of predictions.
#include <array>
#include <bit>
#include <limits>

#include "parallel.h"

using namespace thresher;

namespace {

constexpr size_t kBits = 32;
constexpr double kSpacing = std::numeric_limits<double>::epsilon();  // COCO adds it to the number of predictions

// Predictions by label and falling score.
template <class Bits>
struct Input {
  const double* scores;
  const int64_t* starts;
  const int32_t* ranks;
  const Bits *hits, *ignored;  // predictions x ranges of areas; bits are thresholds
  const int64_t* positives;    // labels x ranges
  int64_t labels, ranges, thresholds;
  const int64_t* caps;
  int64_t n_caps;
  const double* recalls;
  int64_t points;
};

struct Output {
  double *precision, *recall, *score;
};

struct Hit {
  double precision, score;
};

template <class Bits>
class Label {
 public:
  Label(const Input<Bits>& input, const Output& output) : input_(input), output_(output) {}

  void evaluate(int64_t label) {
    for (int64_t range = 0; range < input_.ranges; range++) {
      const int64_t positives = input_.positives[label * input_.ranges + range];
      if (!positives) continue;
      for (int64_t cap = 0; cap < input_.n_caps; cap++) {
        read(label, range, input_.caps[cap]);
        for (int64_t threshold = 0; threshold < input_.thresholds; threshold++)
          write(threshold, (label * input_.ranges + range) * input_.n_caps + cap, static_cast<double>(positives));
      }
    }
  }

 private:
  // The hits at each threshold.
  void read(int64_t label, int64_t range, int64_t cap) {
    const auto everywhere = static_cast<uint32_t>((uint64_t{1} << input_.thresholds) - 1);
    std::array<int64_t, kBits> ignored{};
    for (auto& hits : hits_) hits.clear();
    some_ = false;
    int64_t counted = 0;  // predictions that count at one threshold at least
    for (int64_t row = input_.starts[label]; row < input_.starts[label + 1]; row++) {
      if (input_.ranks[row] >= cap) continue;
      if (!some_) first_ = input_.scores[row];
      some_ = true;
      const uint32_t left_out = input_.ignored[row * input_.ranges + range];
      if ((left_out & everywhere) == everywhere) continue;
      counted++;
      for (uint32_t rest = left_out & everywhere; rest; rest &= rest - 1)
        ignored[static_cast<size_t>(std::countr_zero(rest))]++;
      const uint32_t hit = input_.hits[row * input_.ranges + range] & everywhere & ~left_out;
      for (uint32_t rest = hit; rest; rest &= rest - 1) {
        const auto bit = static_cast<size_t>(std::countr_zero(rest));
        auto& hits = hits_[bit];
        const auto found = static_cast<double>(hits.size() + 1);
        hits.push_back({found / (static_cast<double>(counted - ignored[bit]) + kSpacing), input_.scores[row]});
      }
    }
  }

  void write(int64_t threshold, int64_t cell, double positives) {
    auto& hits = hits_[static_cast<size_t>(threshold)];
    const int64_t cells = input_.labels * input_.ranges * input_.n_caps;
    output_.recall[threshold * cells + cell] = static_cast<double>(hits.size()) / positives;
    for (size_t at = hits.size(); at-- > 1;)  // the highest precision at this recall or a higher one
      hits[at - 1].precision = std::max(hits[at - 1].precision, hits[at].precision);
    double* precision = output_.precision + threshold * input_.points * cells + cell;
    double* score = output_.score + threshold * input_.points * cells + cell;
    for (int64_t point = 0; point < input_.points; point++) precision[point * cells] = score[point * cells] = 0.0;
    size_t at = 0;
    for (int64_t point = 0; point < input_.points; point++) {
      const double recall = input_.recalls[point];
      if (recall <= 0.0) {  // reached by the first prediction, a hit or not
        if (!some_) return;
        precision[point * cells] = hits.empty() ? 0.0 : hits[0].precision;
        score[point * cells] = first_;
        continue;
      }
      while (at > 0 && static_cast<double>(at) / positives >= recall) at--;  // recalls need not rise
      while (at < hits.size() && !(static_cast<double>(at + 1) / positives >= recall)) at++;
      if (at == hits.size()) return;
      precision[point * cells] = hits[at].precision;
      score[point * cells] = hits[at].score;
    }
  }

  const Input<Bits>& input_;
  Output output_;
  std::array<std::vector<Hit>, kBits> hits_;
  bool some_ = false;
  double first_ = 0.0;
};

template <class Bits>
void evaluate(const Input<Bits>& input, const Output& output, int64_t threads) {
  const std::vector<int64_t> order = largest_first(input.starts, input.labels);
  std::vector<Label<Bits>> workers(static_cast<size_t>(std::max<int64_t>(threads, 1)), {input, output});
  const auto work = [&](int64_t worker, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row++)
      workers[static_cast<size_t>(worker)].evaluate(order[static_cast<size_t>(row)]);
  };
  for_rows(input.labels, threads, work, 1);
}

}  // namespace

// Arguments: predictions by label and falling score (scores, where labels start, rank within image and label), bits of
// the thresholds at which they are hits and ignored (predictions x ranges of areas), true objects that count (labels x
// ranges), most predictions per image and label, recalls, number of thresholds, threads, and the results, which keep
// their values where no true object counts: precision and score (thresholds x recalls x labels x ranges x caps), and
// recall (the same without recalls).
THRESHER_API int32_t thresher_coco_curves(const double* scores, int64_t predictions, const int64_t* starts,
                                          int64_t edges, const int32_t* ranks, int64_t rank_rows, const void* hits,
                                          int64_t hit_cells, int64_t hit_bytes, const void* ignored,
                                          int64_t ignored_cells, int64_t ignored_bytes, const int64_t* positives,
                                          int64_t positive_cells, const int64_t* caps, int64_t n_caps,
                                          const double* recalls, int64_t points, int64_t thresholds, int64_t threads,
                                          double* precision, int64_t precision_cells, double* recall,
                                          int64_t recall_cells, double* score, int64_t score_cells) {
  return guarded([&] {
    check_edges(starts, edges, predictions);
    const int64_t labels = edges - 1, ranges = labels ? positive_cells / labels : 0;
    require(rank_rows == predictions && positive_cells == labels * ranges && hit_bytes == ignored_bytes);
    require(hit_cells == predictions * ranges && ignored_cells == hit_cells);
    require(thresholds > 0 && thresholds <= 8 * hit_bytes && thresholds <= static_cast<int64_t>(kBits));
    const int64_t cells = thresholds * labels * ranges * n_caps;
    require(recall_cells == cells && precision_cells == cells * points && score_cells == precision_cells);
    const auto run = [&]<class Bits>(const Bits* hit, const Bits* left_out) {
      evaluate<Bits>({scores, starts, ranks, hit, left_out, positives, labels, ranges, thresholds, caps, n_caps,
                      recalls, points},
                     {precision, recall, score}, threads);
    };
    if (hit_bytes == sizeof(uint16_t))
      run(static_cast<const uint16_t*>(hits), static_cast<const uint16_t*>(ignored));
    else
      run(static_cast<const uint32_t*>(hits), static_cast<const uint32_t*>(ignored));
  });
}
