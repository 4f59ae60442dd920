// Numbers of COCO's compressed run lengths.
#pragma once
#include <cstdint>

namespace thresher {

// Adds the numbers of a text to `numbers`; whether the text is whole. A number is a sequence of groups of five bits, the
// lowest first: bit 5 marks that another group follows, bit 4 of the last one that the number is negative. From the
// fourth number on it is a difference to the number two places before.
template <class Characters, class Numbers>
bool decompress(Characters& characters, Numbers& numbers) {
  while (!characters.ended()) {
    uint32_t group = characters.next() - 48u;
    if (group > 63) return false;
    uint64_t value = group & 31;
    int shift = 5;
    for (; group & 32; shift += 5) {
      if (characters.ended() || shift > 55) return false;
      group = characters.next() - 48u;
      if (group > 63) return false;
      value |= static_cast<uint64_t>(group & 31) << shift;
    }
    if (group & 16) value |= ~uint64_t{0} << shift;
    if (numbers.count() > 2) value += static_cast<uint64_t>(numbers.last_but_one());
    numbers.add(static_cast<int64_t>(value));
  }
  return true;
}

}  // namespace thresher
