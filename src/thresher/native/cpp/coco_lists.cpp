// COCO's lists of annotations and results in their usual form: objects with the fields below and nothing else. The
// shapes of objects are checked for their syntax, and skipped or left to `coco_masks.cpp`.
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "json_scanner.h"

using namespace thresher;

namespace {

enum Field : uint32_t { kImage, kCategory, kBox, kScore, kArea, kId, kCrowd, kPoints, kCount, kShape, kFields };

constexpr std::array<std::string_view, kFields> kNames{
    "image_id", "category_id", "bbox", "score", "area", "id", "iscrowd", "keypoints", "num_keypoints", "segmentation"};
constexpr int kDeepestShape = 4;  // levels of lists and objects in a shape; deeper ones are left to the other parser

constexpr uint32_t bit(Field field) { return uint32_t{1} << field; }

Field read_field(JsonScanner& scanner) {
  const std::string_view name = scanner.name();
  for (uint32_t one = 0; one < kFields; one++)
    if (name == kNames[one]) return static_cast<Field>(one);
  throw Unusual();
}

constexpr int64_t kMostPoints = std::numeric_limits<int32_t>::max();
constexpr int64_t kAxes = 3;  // x, y and visibility of a keypoint
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Where the fields are written. `numbers` are scores or areas; `points` are the keypoints of all objects one after the
// other, `point_room` is 0 for objects without. `shapes` are the bytes at which each object's shape begins and ends, and
// `shape_room` is 0 unless shapes are read; objects may lack a box then.
struct Columns {
  int64_t *images, *categories;
  double *boxes, *numbers;
  int64_t *ids, *crowd;
  double* points;
  int64_t point_room;
  int64_t *sizes, *counts;
  int64_t* shapes;
  int64_t shape_room;
  Field measured;

  uint32_t needed() const {
    const uint32_t outline = bit(shape_room ? kShape : point_room ? kPoints : kBox);
    return bit(kImage) | bit(kCategory) | outline | bit(measured == kScore ? kScore : kId);
  }

  // Defaults of the fields that an object lacks; its keypoints begin at `first`.
  void complete(int64_t row, const double* first, uint32_t seen) const {
    if (!(seen & bit(kCrowd))) crowd[row] = 0;
    if (measured == kArea && !(seen & bit(kArea))) numbers[row] = kMissing;
    if (shape_room && !(seen & bit(kBox))) std::fill_n(boxes + 4 * row, 4, kMissing);
    if (!point_room) return;
    const double* end = first + kAxes * sizes[row];
    if (!(seen & bit(kBox))) surround(first, end, boxes + 4 * row);
    if (seen & bit(kCount)) return;
    counts[row] = 0;
    for (const double* point = first; point != end; point += kAxes) counts[row] += point[2] > 0;
  }

 private:
  // The smallest box around all keypoints of an object; 0 has no sign there, as in Python.
  static void surround(const double* first, const double* end, double* box) {
    for (int64_t axis = 0; axis < 2; axis++) {
      double low = first[axis], high = low;
      for (const double* point = first; point != end; point += kAxes) {
        low = point[axis] < low ? point[axis] : low;
        high = point[axis] > high ? point[axis] : high;
      }
      box[axis] = low + 0.0;
      box[axis + 2] = (high + 0.0) - box[axis];
    }
  }
};

// One object, whose opening brace was taken and whose keypoints are written from number `used` on; which fields it has.
uint32_t read_object(JsonScanner& scanner, const Columns& columns, int64_t row, int64_t used) {
  uint32_t seen = 0;
  do {
    const Field field = read_field(scanner);
    expect(!(seen & bit(field)));
    seen |= bit(field);
    if (field == kImage) {
      columns.images[row] = scanner.integer();
    } else if (field == kCategory) {
      columns.categories[row] = scanner.integer();
    } else if (field == kId) {
      columns.ids[row] = scanner.integer();
    } else if (field == kCrowd) {
      columns.crowd[row] = scanner.integer();
    } else if (field == kBox) {
      scanner.list(columns.boxes + 4 * row, 4);
    } else if (field == kShape) {
      const int64_t first = scanner.position();
      scanner.skip_value(kDeepestShape);
      if (!columns.shape_room) continue;
      columns.shapes[2 * row] = first;
      columns.shapes[2 * row + 1] = scanner.position();
    } else if (field == kPoints) {
      expect(columns.point_room > 0);
      const int64_t count = scanner.list_of_any(columns.points + used, columns.point_room - used);
      expect(count % kAxes == 0);
      columns.sizes[row] = count / kAxes;
    } else if (field == kCount) {
      expect(columns.point_room > 0);
      columns.counts[row] = scanner.integer();
      expect(columns.counts[row] >= 0 && columns.counts[row] <= kMostPoints);
    } else {
      expect(field == columns.measured);
      columns.numbers[row] = scanner.number();
    }
  } while (scanner.took(','));
  scanner.take('}');
  return seen;
}

void read_list(JsonScanner scanner, const Columns& columns, int64_t room, int64_t& rows, int64_t& fields) {
  const uint32_t needed = columns.needed();
  uint32_t first = 0;
  int64_t used = 0;
  scanner.take('[');
  do {
    scanner.take('{');
    require(rows < room);
    const uint32_t seen = read_object(scanner, columns, rows, used);
    expect((seen & needed) == needed);
    columns.complete(rows, columns.points + used, seen);
    if (columns.point_room) used += kAxes * columns.sizes[rows];
    if (!rows++) first = seen;
    expect(((seen ^ first) & bit(kId)) == 0);  // all objects have an id, or none
  } while (scanner.took(','));
  scanner.take(']');
  expect(scanner.ended());
  fields = first & bit(kId) ? 1 : 0;
}

}  // namespace

// Read a list of results (`scored`) or of annotations into columns with room for all objects; `numbers` are scores, or
// areas with NaN where they are missing. If there is room for keypoints, all objects must have some: `sizes` are how
// many, `counts` their `num_keypoints`, or how many are labelled, and missing boxes those around them. If there is room
// for shapes, all objects must have one, and missing boxes are NaN. `found` are the number of objects, which is -1 for a
// list that is not of the usual form, and whether they have ids.
THRESHER_API int32_t thresher_coco_list(const uint8_t* content, int64_t size, int64_t scored, int64_t* images,
                                        int64_t room, int64_t* categories, int64_t category_room, double* boxes,
                                        int64_t sides, double* numbers, int64_t number_room, int64_t* ids,
                                        int64_t id_room, int64_t* crowd, int64_t crowd_room, double* points,
                                        int64_t point_room, int64_t* sizes, int64_t size_room, int64_t* counts,
                                        int64_t count_room, int64_t* shapes, int64_t shape_room, int64_t* found,
                                        int64_t found_size) {
  return guarded([&] {
    require(category_room == room && sides == 4 * room && number_room == room && id_room == room);
    require(room > 0 && crowd_room == room && found_size == 2);
    require(size_room == (point_room ? room : 0) && count_room == size_room);
    require(shape_room == 0 || (shape_room == 2 * room && point_room == 0));
    int64_t rows = 0;
    try {
      const Columns columns{images, categories, boxes,  numbers, ids,   crowd, points, point_room,
                            sizes,  counts,     shapes, shape_room, scored ? kScore : kArea};
      read_list(JsonScanner(content, size), columns, room, rows, found[1]);
      found[0] = rows;
    } catch (const Unusual&) {
      found[0] = -1;
    }
  });
}
