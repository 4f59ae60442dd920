// Porter's stemmer of English words (Porter 1980) with the extensions that NLTK uses by default.
#pragma once
#include <cstdint>
#include <string_view>

#include "texts.h"

namespace thresher {

// Stems a word in place; the stem is never longer. Words are of ASCII letters and digits in lower case.
class Porter {
 public:
  static int64_t stem(uint8_t* word, int64_t size) {
    Porter porter(reinterpret_cast<char*>(word), size);
    if (size > 2 && !porter.irregular()) porter.steps();
    return porter.size_;
  }

 private:
  Porter(char* word, int64_t size) : word_(word), size_(size) {}

  struct Rule {
    std::string_view suffix, replacement;
  };

  void steps() {
    plural();
    past_and_participle();
    if (ends("y") && size_ > 2 && consonant(size_ - 2)) word_[size_ - 1] = 'i';
    derived();
    adjectives();
    endings();
    final_e();
    if (ends("ll") && measure(size_ - 1) > 1) size_--;
  }

  bool irregular() {
    static constexpr Rule kWords[] = {
        {"skies", "sky"},       {"sky", "sky"},         {"dying", "die"},     {"lying", "lie"},
        {"tying", "tie"},       {"news", "news"},       {"innings", "inning"}, {"inning", "inning"},
        {"outings", "outing"},  {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
        {"howe", "howe"},       {"proceed", "proceed"}, {"exceed", "exceed"}, {"succeed", "succeed"},
    };
    for (const Rule& rule : kWords)
      if (view() == rule.suffix) return replace(size_, rule.replacement), true;
    return false;
  }

  void plural() {
    if (ends("ies")) return replace(3, size_ == 4 ? "ie" : "i");
    if (ends("sses")) return replace(2, "");
    if (ends("s") && !ends("ss")) replace(1, "");
  }

  void past_and_participle() {
    if (ends("ied")) return replace(3, size_ == 4 ? "ie" : "i");
    if (ends("eed")) {
      if (measure(size_ - 3) > 0) size_--;
      return;
    }
    if (ends("ed") && has_vowel(size_ - 2)) size_ -= 2;
    else if (ends("ing") && has_vowel(size_ - 3)) size_ -= 3;
    else return;
    if (ends("at") || ends("bl") || ends("iz")) return append('e');
    if (double_consonant()) {
      const char last = word_[size_ - 1];
      if (last != 'l' && last != 's' && last != 'z') size_--;
    } else if (measure(size_) == 1 && ends_cvc(size_)) {
      append('e');
    }
  }

  void derived() {
    while (ends("alli") && measure(size_ - 4) > 0) replace(4, "al");
    static constexpr Rule kRules[] = {
        {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},   {"izer", "ize"},
        {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},   {"eli", "e"},       {"ousli", "ous"},
        {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"},
        {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"},
        {"fulli", "ful"},
    };
    if (apply(kRules, 0)) return;
    if (ends("logi") && measure(size_ - 3) > 0) size_--;  // the measure with the l
  }

  void adjectives() {
    static constexpr Rule kRules[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                      {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
    apply(kRules, 0);
  }

  void endings() {
    static constexpr Rule kBefore[] = {{"al", ""},    {"ance", ""}, {"ence", ""},  {"er", ""},   {"ic", ""},  {"able", ""},
                                       {"ible", ""},  {"ant", ""},  {"ement", ""}, {"ment", ""}, {"ent", ""}};
    static constexpr Rule kAfter[] = {{"ou", ""},  {"ism", ""}, {"ate", ""}, {"iti", ""},
                                      {"ous", ""}, {"ive", ""}, {"ize", ""}};
    if (apply(kBefore, 1)) return;
    if (ends("ion")) {
      const int64_t left = size_ - 3;
      if (measure(left) > 1 && (word_[left - 1] == 's' || word_[left - 1] == 't')) size_ = left;
      return;
    }
    apply(kAfter, 1);
  }

  void final_e() {
    if (!ends("e")) return;
    const int64_t left = size_ - 1, n = measure(left);
    if (n > 1 || (n == 1 && !ends_cvc(left))) size_ = left;
  }

  // The first rule whose suffix fits decides; it is applied if the measure before it exceeds `least`.
  template <size_t N>
  bool apply(const Rule (&rules)[N], int64_t least) {
    for (const Rule& rule : rules) {
      if (!ends(rule.suffix)) continue;
      const int64_t suffix = static_cast<int64_t>(rule.suffix.size());
      if (measure(size_ - suffix) > least) replace(suffix, rule.replacement);
      return true;
    }
    return false;
  }

  std::string_view view() const { return {word_, static_cast<size_t>(size_)}; }
  bool ends(std::string_view suffix) const { return view().ends_with(suffix); }
  void append(char letter) { word_[size_++] = letter; }  // what was cut off left room

  void replace(int64_t suffix, std::string_view replacement) {
    size_ -= suffix;
    for (char letter : replacement) append(letter);
  }

  bool consonant(int64_t at) const {
    int64_t ys = 0;  // a y is a consonant at the start and after a vowel
    while (at > 0 && word_[at] == 'y') at--, ys++;
    const char letter = word_[at];
    const bool vowel = letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
    return vowel == (ys % 2 == 1);
  }

  // Changes from a vowel to a consonant in the first `size` letters.
  int64_t measure(int64_t size) const {
    int64_t changes = 0;
    bool vowel = false;
    for (int64_t at = 0; at < size; at++) {
      const bool here = is_vowel(at, vowel);
      changes += vowel && !here;
      vowel = here;
    }
    return changes;
  }

  bool is_vowel(int64_t at, bool before) const {
    switch (word_[at]) {
      case 'a': case 'e': case 'i': case 'o': case 'u': return true;
      case 'y': return at > 0 && !before;
      default: return false;
    }
  }

  bool has_vowel(int64_t size) const {
    for (int64_t at = 0; at < size; at++)
      if (!consonant(at)) return true;
    return false;
  }

  bool double_consonant() const {
    return size_ >= 2 && word_[size_ - 1] == word_[size_ - 2] && consonant(size_ - 1);
  }

  bool ends_cvc(int64_t size) const {
    if (size == 2) return !consonant(0) && consonant(1);
    if (size < 3 || !consonant(size - 3) || consonant(size - 2) || !consonant(size - 1)) return false;
    const char last = word_[size - 1];
    return last != 'w' && last != 'x' && last != 'y';
  }

  char* word_;
  int64_t size_;
};

}  // namespace thresher
