// The shapes of COCO's objects as run lengths: those that are given, and polygons drawn.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "drawing.h"
#include "json_scanner.h"
#include "mask_list.h"
#include "parallel.h"
#include "run_lengths.h"

using namespace thresher;

namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // pixels of a side and of an image
constexpr double kFarthest = 1'000'000;                         // pixels of a polygon from the image's corner
constexpr int64_t kFewestNumbers = 6;                           // of a ring
constexpr int64_t kBlock = 256;                                 // objects that a thread reads at a time

// Height and width in pixels; -1 if the file does not say.
struct Size {
  int64_t height, width;

  bool known() const { return height >= 0 && width >= 0; }
  int64_t pixels() const { return height * width; }
};

// A shape that was read, but not decompressed.
struct Shape {
  Size size{-1, -1};
  int64_t length = 0;     // of its run lengths
  std::string_view text;  // compressed ones, with the escapes of JSON; empty for others, which are kept apart
};

class ShapeReader {
 public:
  // `runs` receives the run lengths that are not compressed.
  ShapeReader(const uint8_t* content, const int64_t* span, std::vector<int64_t>& runs)
      : scanner_(content + span[0], span[1] - span[0]), runs_(runs) {}

  Shape read(Size image) {
    const size_t before = runs_.size();
    Shape shape = scanner_.took('{') ? given(image) : drawn(image);
    expect(scanner_.ended());
    expect(std::max(shape.size.height, shape.size.width) <= kMost && shape.size.pixels() <= kMost);
    if (shape.text.empty()) shape.length = static_cast<int64_t>(runs_.size() - before);
    return shape;
  }

 private:
  // Run lengths: a size, and a list or a text of counts.
  Shape given(Size image) {
    Shape shape;
    bool counted = false;
    do {
      const std::string_view name = scanner_.name();
      if (name == "size") {
        expect(!shape.size.known());
        shape.size = own_size();
      } else {
        expect(name == "counts" && !counted);
        counted = true;
        scanner_.precedes('"') ? text(shape) : numbers();
      }
    } while (scanner_.took(','));
    scanner_.take('}');
    expect(counted && shape.size.known());
    expect(!image.known() || (shape.size.height == image.height && shape.size.width == image.width));
    return shape;
  }

  Size own_size() {
    Size size{};
    scanner_.take('[');
    size.height = scanner_.integer();
    scanner_.take(',');
    size.width = scanner_.integer();
    scanner_.take(']');
    expect(size.known());
    return size;
  }

  void numbers() {
    scanner_.take('[');
    do runs_.push_back(scanner_.integer());
    while (scanner_.took(','));
    scanner_.take(']');
  }

  // Each number has one character that no other one follows.
  void text(Shape& shape) {
    shape.text = scanner_.text();
    expect(!shape.text.empty());
    for (const char character : shape.text) shape.length += !((character - 48) & 32);
  }

  // Polygons: lists of x and y in turn.
  Shape drawn(Size image) {
    expect(image.known() && std::max(image.height, image.width) <= kMost && image.pixels() <= kMost);
    Drawing drawing(image.height, image.width);
    std::vector<double> ring;
    scanner_.take('[');
    do {
      ring.clear();
      scanner_.take('[');
      do {
        ring.push_back(scanner_.number());
        expect(std::abs(ring.back()) <= kFarthest);
      } while (scanner_.took(','));
      scanner_.take(']');
      expect(std::ssize(ring) >= kFewestNumbers && ring.size() % 2 == 0);
      drawing.add(ring.data(), std::ssize(ring) / 2);
    } while (scanner_.took(','));
    scanner_.take(']');
    drawing.append_runs(runs_);
    return {image, 0, {}};
  }

  JsonScanner scanner_;
  std::vector<int64_t>& runs_;
};

// The characters of a text of JSON whose only escape is that of the backslash.
struct Characters {
  std::string_view text;
  size_t at = 0;

  bool ended() const { return at == text.size(); }

  uint8_t next() {
    const char character = text[at++];
    if (character == '\\') expect(text[at++] == '\\');  // the scanner has seen that a character follows
    return static_cast<uint8_t>(character);
  }
};

// Run lengths that fill an image.
class Filling {
 public:
  Filling(int32_t* runs, int64_t room, int64_t pixels) : runs_(runs), room_(room), left_(pixels) {}

  void add(int64_t run) {
    expect(run >= 0 && run <= left_ && count_ < room_);
    left_ -= run;
    runs_[count_++] = static_cast<int32_t>(run);
  }

  int64_t count() const { return count_; }
  int64_t last_but_one() const { return runs_[count_ - 2]; }
  bool is_done() const { return !left_ && count_ == room_; }

 private:
  int32_t* runs_;
  int64_t room_, left_, count_ = 0;
};

// All shapes, and the run lengths that are not compressed, in blocks.
class Shapes {
 public:
  Shapes(const uint8_t* content, int64_t size, const int64_t* spans, int64_t objects)
      : content_(content), spans_(spans), shapes_(static_cast<size_t>(objects)), blocks_(shapes_.size() / kBlock + 1) {
    for (int64_t at = 0; at < objects; at++)
      require(0 <= spans[2 * at] && spans[2 * at] <= spans[2 * at + 1] && spans[2 * at + 1] <= size);
  }

  // `sizes` are those of the images, and are replaced by those of the masks; how many run lengths there are.
  int64_t read(int64_t threads, int64_t* sizes, int64_t* starts, int64_t* lengths) {
    for_blocks(threads, [&](int64_t at, std::vector<int64_t>& runs, size_t&) {
      Shape& shape = shapes_[static_cast<size_t>(at)];
      shape = ShapeReader(content_, spans_ + 2 * at, runs).read({sizes[2 * at], sizes[2 * at + 1]});
      sizes[2 * at] = shape.size.height;
      sizes[2 * at + 1] = shape.size.width;
      lengths[at] = shape.length;
    });
    int64_t total = 0;
    for (size_t at = 0; at < shapes_.size(); total += lengths[at++]) starts[at] = total;
    return total;
  }

  void write(int64_t threads, const int64_t* starts, int32_t* counts, double* boxes, int64_t* areas) {
    for_blocks(threads, [&](int64_t at, const std::vector<int64_t>& runs, size_t& used) {
      const Shape& shape = shapes_[static_cast<size_t>(at)];
      Filling filling(counts + starts[at], shape.length, shape.size.pixels());
      if (shape.text.empty()) {
        for (int64_t run = 0; run < shape.length; run++) filling.add(runs[used++]);
      } else {
        Characters characters{shape.text};
        expect(decompress(characters, filling));
      }
      expect(filling.is_done());
      areas[at] = surround(counts + starts[at], shape.length, shape.size.height, boxes + 4 * at);
    });
  }

 private:
  // Calls work(object, runs of its block, how many of these were used).
  template <class Work>
  void for_blocks(int64_t threads, Work work) {
    for_rows(std::ssize(blocks_), threads, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; block++) {
        size_t used = 0;
        const int64_t last = std::min<int64_t>((block + 1) * kBlock, std::ssize(shapes_));
        for (int64_t at = block * kBlock; at < last; at++) work(at, blocks_[static_cast<size_t>(block)], used);
      }
    }, 1);
  }

  const uint8_t* content_;
  const int64_t* spans_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<int64_t>> blocks_;
};

}  // namespace

// Read the shapes between the bytes `spans` of a JSON text. `sizes` are height and width of each object's image, -1 where
// unknown, and are replaced by those of its mask. `starts` and `lengths` are where each mask's run lengths are in
// `counts`, `boxes` and `areas` as in `thresher_mask_boxes`. `found` is the number of run lengths, -1 if a shape is not
// of the usual form; if there are more than there is room for, none is written.
THRESHER_API int32_t thresher_coco_masks(const uint8_t* content, int64_t size, const int64_t* spans, int64_t n_spans,
                                         int64_t threads, int64_t* sizes, int64_t n_sizes, int64_t* starts,
                                         int64_t objects, int64_t* lengths, int64_t n_lengths, int32_t* counts,
                                         int64_t room, double* boxes, int64_t sides, int64_t* areas, int64_t n_areas,
                                         int64_t* found, int64_t found_size) {
  return guarded([&] {
    require(n_spans == 2 * objects && n_sizes == n_spans && n_lengths == objects && n_areas == objects);
    require(sides == 4 * objects && found_size == 1);
    try {
      Shapes shapes(content, size, spans, objects);
      found[0] = shapes.read(threads, sizes, starts, lengths);
      if (found[0] <= room) shapes.write(threads, starts, counts, boxes, areas);
    } catch (const Unusual&) {
      found[0] = -1;
    }
  });
}
