#include "transform/ops/images/image_kind.h"

#include <array>
#include <cstddef>

namespace tidemill::transform {
namespace {

using std::string_view_literals::operator""sv;

struct Kind {
  size_t offset;
  std::string_view bytes;
  std::string_view name;
};

constexpr std::array<Kind, 29> kKinds = {{{0, "GIF87a"sv, "a GIF image"},
                                          {0, "GIF89a"sv, "a GIF image"},
                                          {8, "WEBP"sv, "a WebP image"},
                                          {4, "ftypavif"sv, "an AVIF image"},
                                          {4, "ftypavis"sv, "an AVIF image"},
                                          {4, "ftyphe"sv, "a HEIC image"},
                                          {4, "ftypmif1"sv, "a HEIC image"},
                                          {4, "ftypmsf1"sv, "a HEIC image"},
                                          {0, "II*\0"sv, "a TIFF image"},
                                          {0, "MM\0*"sv, "a TIFF image"},
                                          {0, "II+\0"sv, "a TIFF image"},
                                          {0, "MM\0+"sv, "a TIFF image"},
                                          {4, "JXL \r\n\x87\n"sv, "a JPEG XL image"},
                                          {0, "\xff\x0a"sv, "a JPEG XL image"},
                                          {4, "jP  \r\n\x87\n"sv, "a JPEG 2000 image"},
                                          {0, "\xff\x4f\xff\x51"sv, "a JPEG 2000 image"},
                                          {0, "8BPS"sv, "a Photoshop image"},
                                          {0, "\0\0\1\0"sv, "an icon"},
                                          {0, "v/1\1"sv, "an OpenEXR image"},
                                          {0, "#?RADIANCE"sv, "a Radiance image"},
                                          {0, "qoif"sv, "a QOI image"},
                                          {0, "DDS "sv, "a DDS image"},
                                          {128, "DICM"sv, "a DICOM image"},
                                          {0, "SIMPLE  ="sv, "a FITS image"},
                                          {0, "\x93NUMPY"sv, "a NumPy array"},
                                          {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
                                          {0, "%PDF-"sv, "a PDF document"},
                                          {0, "<svg"sv, "an SVG drawing"},
                                          {0, "<?xml"sv, "an XML document"}}};

// Two letters and a size are little: the size of the second header tells.
bool IsBmp(std::string_view file) {
  if (!file.starts_with("BM") || file.size() < 18) return false;
  const auto size = static_cast<unsigned char>(file[14]);
  return (size == 12 || size == 40 || size == 52 || size == 56 || size == 108 || size == 124) &&
         file.substr(15, 3) == "\0\0\0"sv;
}

// P1 to P7 and white space.
bool IsPortableMap(std::string_view file) {
  return file.size() > 2 && file[0] == 'P' && file[1] >= '1' && file[1] <= '7' &&
         (file[2] == '\n' || file[2] == ' ' || file[2] == '\r' || file[2] == '\t');
}

}  // namespace

std::optional<std::string_view> KindOfImage(std::string_view file) {
  for (const Kind& kind : kKinds) {
    if (file.size() >= kind.offset + kind.bytes.size() &&
        file.substr(kind.offset, kind.bytes.size()) == kind.bytes) {
      return kind.name;
    }
  }
  if (IsBmp(file)) return "a BMP image";
  if (IsPortableMap(file)) return "a PNM image";
  return std::nullopt;
}

}  // namespace tidemill::transform
