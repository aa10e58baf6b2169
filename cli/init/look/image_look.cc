#include "cli/init/look/image_look.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "base/numbers/thousands.h"
#include "base/printable.h"
#include "cli/init/look/image_time.h"
#include "records/exif.h"
#include "transform/ops/images/image_decoder.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMostLookedAt = 64;
constexpr size_t kMostImageBytes = size_t{64} << 20;
// The longest side that a small network on a processor reads without much waiting.
constexpr int64_t kLongestSide = 64;

// The properties of some of the files, by their headers.
struct Looked {
  int64_t num_images = 0;
  int64_t num_bad = 0;
  std::string first_bad = {};
  std::set<std::pair<int64_t, int64_t>> sizes = {};  // Height and width.
  int64_t num_grey = 0;
  int64_t num_with_exif = 0;
};

Looked LookAtSome(const SeenData& data) {
  Looked looked;
  const size_t step = std::max<size_t>(1, data.paths.size() / kMostLookedAt);
  for (size_t place = 0; place < data.paths.size(); place += step) {
    const auto bytes = files::Read(files::Join(data.folder, data.paths[place]), kMostImageBytes);
    const auto header = bytes.ok() ? transform::ReadImageHeader(*bytes)
                                   : absl::StatusOr<transform::ImageShape>(bytes.status());
    ++looked.num_images;
    if (!header.ok()) {
      if (looked.num_bad++ == 0) {
        looked.first_bad =
            fmt::format("{}: {}", data.paths[place], std::string(header.status().message()));
      }
      continue;
    }
    looked.sizes.insert({header->height, header->width});
    looked.num_grey += header->channels == 1;
    const auto exif = ReadExif(*bytes);
    looked.num_with_exif += exif && !exif->taken_at.empty();
  }
  return looked;
}

absl::Status TakeClasses(const SeenData& data, ImageLook& look) {
  std::map<std::string, int64_t> counts;
  for (const std::string& path : data.paths) ++counts[FolderOfImage(path)];
  if (counts.contains("")) {
    return InvalidArgument(
        "{} images of {} are in no folder of a class, such as {}; put the images of each class "
        "into a folder with its name",
        counts[""], data.folder, Quoted(data.paths.front()));
  }
  if (counts.size() < 2) {
    return InvalidArgument(
        "all images of {} are in folders called {}; put those of each class into a folder with its "
        "name",
        data.folder, Quoted(counts.begin()->first));
  }
  look.rarest = data.paths.size();
  for (const auto& [name, count] : counts) {
    look.classes.push_back(name);
    look.rarest = std::min(look.rarest, count);
    look.most_frequent = std::max(look.most_frequent, count);
  }
  return absl::OkStatus();
}

// Says that images which are kept apart for tests are taken together with the others.
void SayIfSplit(const SeenData& data, ImageLook& look) {
  constexpr std::array<std::string_view, 7> kSplits = {"train", "training", "test",      "testing",
                                                       "val",   "valid",    "validation"};
  std::set<std::string> found;
  for (const std::string& path : data.paths) {
    const std::string first = path.substr(0, path.find('/'));
    if (std::ranges::find(kSplits, first) != kSplits.end()) found.insert(first);
  }
  if (found.size() < 2) return;
  look.unknown.push_back(fmt::format(
      "whether images of the folders {} are kept apart: all are taken together, and a model is "
      "measured on those that come after its training; name the folder of one of them to leave "
      "out the others",
      NamesForPeople({found.begin(), found.end()})));
}

// The op that decodes, and why.
Guess DecodeGuess(const Looked& looked) {
  auto [height, width] = *looked.sizes.begin();
  const bool one_size = looked.sizes.size() == 1;
  std::string reason = fmt::format("all {} images that were looked at are {} high and {} wide",
                                   looked.num_images, height, width);
  if (!one_size) {
    height = width = 0;
    for (const auto& [h, w] : looked.sizes) {
      height = std::max(height, h);
      width = std::max(width, w);
    }
    reason =
        fmt::format("the {} images that were looked at have {} sizes, up to {} high and {} wide",
                    looked.num_images, looked.sizes.size(), height, width);
  }
  const int64_t longest = std::max(height, width);
  if (longest > kLongestSide) {
    height = std::max<int64_t>(8, height * kLongestSide / longest);
    width = std::max<int64_t>(8, width * kLongestSide / longest);
    reason += fmt::format(
        "; they are made smaller, because the time of a training grows with their size");
  }
  const bool grey = looked.num_grey + looked.num_bad == looked.num_images;
  if (grey) reason += "; all are grey";
  const bool fits = one_size && longest <= kLongestSide;
  return {.key = "decode_image",
          .value = YamlMap({fmt::format("height: {}", height), fmt::format("width: {}", width),
                            grey ? "channels: 1" : "", fits ? "" : "fit: stretch"}),
          .reason = reason};
}

}  // namespace

absl::StatusOr<ImageLook> LookAtImages(const SeenData& data) {
  ImageLook look{.num_images = static_cast<int64_t>(data.paths.size())};
  RETURN_IF_ERROR(TakeClasses(data, look));
  SayIfSplit(data, look);
  const Looked looked = LookAtSome(data);
  look.num_looked_at = looked.num_images;
  if (looked.sizes.empty()) {
    return InvalidArgument("none of {} images that were looked at can be decoded; {}",
                           looked.num_images, looked.first_bad);
  }
  if (looked.num_bad > 0) {
    look.unknown.push_back(fmt::format(
        "how many images cannot be decoded: {} of {} that were looked at cannot; they will be "
        "left out; {}",
        looked.num_bad, looked.num_images, looked.first_bad));
  }
  look.dataset.push_back(
      {.key = "format", .value = "{type: single_file}", .reason = "each file is an image"});
  look.dataset.push_back(
      TimeOfImages(data, looked.num_with_exif, looked.num_images, look.time_is_known));
  look.dataset.push_back(
      {.key = "label",
       .value = YamlMap({"folder: true", "classes: " + YamlList(look.classes)}),
       .reason =
           fmt::format("the images are in {} folders, from {} to {} in each", look.classes.size(),
                       WithThousands(look.rarest), WithThousands(look.most_frequent))});
  look.graph.push_back(DecodeGuess(looked));
  look.graph.push_back({.key = "normalize",
                        .value = YamlMap({"column: image", "scale: 0.00392156862745098",
                                          "mean: [0.5]", "std: [0.5]", "into: input"}),
                        .reason = "bytes become numbers from -1 to 1"});
  look.graph.push_back({.key = "label", .value = "{into: target}"});
  return look;
}

}  // namespace tidemill::cli
