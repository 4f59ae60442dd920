// Many masks: their boxes and pixels, and their JSON.
#include <array>
#include <charconv>
#include <cstring>

#include "mask_list.h"
#include "parallel.h"

using namespace thresher;

namespace {

class Json {
 public:
  Json(uint8_t* json, int64_t room) : begin_(reinterpret_cast<char*>(json)), at_(begin_), end_(begin_ + room) {}

  template <size_t size>
  void put(const char (&text)[size]) {
    require(end_ - at_ >= static_cast<std::ptrdiff_t>(size));
    std::memcpy(at_, text, size - 1);
    at_ += size - 1;
  }

  void put(int64_t number) {
    const auto [stop, code] = std::to_chars(at_, end_, number);
    require(code == std::errc());
    at_ = stop;
  }

  // A number and a comma; most run lengths have up to three digits, which are copied.
  void put_member(int64_t number) {
    if (number >= 0 && number < kKnown && end_ - at_ >= kWidest) {
      const Member& known = members()[static_cast<size_t>(number)];
      std::memcpy(at_, known.text, kWidest);
      at_ += known.size;
      return;
    }
    put(number);
    put(", ");
  }

  void take_back(int64_t characters) { at_ -= characters; }
  int64_t size() const { return at_ - begin_; }

 private:
  static constexpr int64_t kKnown = 1000, kWidest = 8;
  struct Member {
    char text[kWidest];
    int64_t size;
  };

  static const std::array<Member, kKnown>& members() {
    static const std::array<Member, kKnown> all = [] {
      std::array<Member, kKnown> made{};
      for (size_t number = 0; number < made.size(); number++) {
        char* stop = std::to_chars(made[number].text, made[number].text + kWidest, number).ptr;
        *stop++ = ',';
        *stop++ = ' ';
        made[number].size = stop - made[number].text;
      }
      return made;
    }();
    return all;
  }

  char *begin_, *at_, *end_;
};

void put_mask(Json& json, const int32_t* counts, int64_t length, const int64_t* size) {
  json.put("{\"counts\": [");
  for (int64_t at = 0; at < length; at++) json.put_member(counts[at]);
  if (length) json.take_back(2);
  json.put("], \"size\": [");
  json.put(size[0]);
  json.put(", ");
  json.put(size[1]);
  json.put("]}");
}

}  // namespace

// The smallest box around each mask and its number of pixels; `sizes` are height and width of each.
THRESHER_API int32_t thresher_mask_boxes(const int32_t* counts, int64_t runs, const int64_t* starts, int64_t masks,
                                         const int64_t* lengths, int64_t n_lengths, const int64_t* sizes,
                                         int64_t n_sizes, int64_t threads, double* boxes, int64_t sides,
                                         int64_t* areas, int64_t n_areas) {
  return guarded([&] {
    const MaskList list(counts, runs, starts, masks, lengths, n_lengths);
    require(n_sizes == 2 * masks && sides == 4 * masks && n_areas == masks);
    for_rows(masks, threads, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t mask = begin; mask < end; mask++)
        areas[mask] = surround(list.first(mask), lengths[mask], sizes[2 * mask], boxes + 4 * mask);
    });
  });
}

// The JSON of the members of a list of masks, as Python's json.dumps writes objects with sorted keys; its bytes are
// written into `size`.
THRESHER_API int32_t thresher_mask_json(const int32_t* counts, int64_t runs, const int64_t* starts, int64_t masks,
                                        const int64_t* lengths, int64_t n_lengths, const int64_t* sizes,
                                        int64_t n_sizes, uint8_t* json, int64_t room, int64_t* size, int64_t one) {
  return guarded([&] {
    const MaskList list(counts, runs, starts, masks, lengths, n_lengths);
    require(n_sizes == 2 * masks && one == 1);
    Json text(json, room);
    for (int64_t mask = 0; mask < masks; mask++) {
      if (mask) text.put(", ");
      put_mask(text, list.first(mask), lengths[mask], sizes + 2 * mask);
    }
    *size = text.size();
  });
}
