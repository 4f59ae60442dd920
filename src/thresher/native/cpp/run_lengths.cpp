// COCO's compressed run lengths.
#include "parallel.h"

using namespace thresher;

// Arguments: texts one after the other, where each starts, and the results: run lengths one after the other (as many as
// there are characters at most), where those of each text start, and the first text that is damaged, or -1. A number is
// a sequence of groups of five bits, the lowest first: bit 5 marks that another group follows, bit 4 of the last one that
// the number is negative. From the fourth number on it is a difference to the number two places before.
THRESHER_API int32_t thresher_decompressed(const uint8_t* texts, int64_t characters, const int64_t* starts,
                                           int64_t edges, int64_t* runs, int64_t room, int64_t* run_starts,
                                           int64_t run_edges, int64_t* damaged, int64_t one) {
  return guarded([&] {
    check_edges(starts, edges, characters);
    require(room == characters && run_edges == edges && one == 1);
    damaged[0] = -1;
    int64_t written = 0;
    for (int64_t text = 0; text + 1 < edges; text++) {
      const int64_t first = written;
      run_starts[text] = first;
      for (int64_t at = starts[text]; at < starts[text + 1]; written++) {
        uint64_t value = 0;
        int shift = 0;
        bool more = true;
        for (; more && at < starts[text + 1]; at++, shift += 5) {
          const int group = static_cast<int>(texts[at]) - 48;
          if (group < 0 || group > 63 || shift > 55) {
            damaged[0] = text;
            return;
          }
          value |= static_cast<uint64_t>(group & 31) << shift;
          more = group & 32;
          if (!more && (group & 16)) value |= ~uint64_t{0} << (shift + 5);
        }
        if (more) {
          damaged[0] = text;
          return;
        }
        if (written - first > 2) value += static_cast<uint64_t>(runs[written - 2]);
        runs[written] = static_cast<int64_t>(value);
      }
    }
    run_starts[edges - 1] = written;
  });
}
