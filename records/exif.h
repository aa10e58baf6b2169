// Exif: the data of a camera about an image in a JPEG or PNG file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill {

struct Exif {
  // How to turn and mirror the image to make it upright: 1 (not at all) to 8.
  int orientation = 1;
  // The time at which it was taken, "2020:12:31 21:25:00", with its fraction of a second and its
  // zone: "745" and "+01:00". Empty when the file does not have them.
  std::string taken_at;
  std::string fraction;
  std::string offset;
};

// Reads the Exif data of a JPEG or PNG file. `file` is at least its front. std::nullopt when the
// file has none, or they are damaged. A crafted file can do no other harm.
std::optional<Exif> ReadExif(std::string_view file);

}  // namespace tidemill
