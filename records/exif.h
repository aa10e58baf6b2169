// What cameras write into a JPEG or PNG file about its image: Exif.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill {

struct Exif {
  // How the image is to be turned and mirrored to be upright: 1 (as it is) to 8.
  int orientation = 1;
  // When it was taken, "2020:12:31 21:25:00", and what belongs to it: "745" and "+01:00". Empty
  // when the file does not say.
  std::string taken_at;
  std::string fraction;
  std::string offset;
};

// Reads the Exif data of a JPEG or PNG file, of which `file` is at least the front. std::nullopt
// when there are none, or they are damaged. No file, however it was made, does more harm than that.
std::optional<Exif> ReadExif(std::string_view file);

}  // namespace tidemill
