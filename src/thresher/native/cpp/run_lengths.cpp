// COCO's compressed run lengths.
#include "run_lengths.h"

#include "parallel.h"

using namespace thresher;

namespace {

struct Characters {
  const uint8_t *at, *end;

  bool ended() const { return at == end; }
  uint8_t next() { return *at++; }
};

struct Numbers {
  int64_t *first, *end;

  int64_t count() const { return end - first; }
  int64_t last_but_one() const { return end[-2]; }
  void add(int64_t number) { *end++ = number; }
};

}  // namespace

// Arguments: texts one after the other, where each starts, and the results: run lengths one after the other (as many as
// there are characters at most), where those of each text start, and the first text that is damaged, or -1.
THRESHER_API int32_t thresher_decompressed(const uint8_t* texts, int64_t characters, const int64_t* starts,
                                           int64_t edges, int64_t* runs, int64_t room, int64_t* run_starts,
                                           int64_t run_edges, int64_t* damaged, int64_t one) {
  return guarded([&] {
    check_edges(starts, edges, characters);
    require(room == characters && run_edges == edges && one == 1);
    damaged[0] = -1;
    int64_t* written = runs;
    for (int64_t text = 0; text + 1 < edges; text++) {
      run_starts[text] = written - runs;
      Characters read{texts + starts[text], texts + starts[text + 1]};
      Numbers numbers{written, written};
      if (!decompress(read, numbers)) {
        damaged[0] = text;
        return;
      }
      written = numbers.end;
    }
    run_starts[edges - 1] = written - runs;
  });
}
