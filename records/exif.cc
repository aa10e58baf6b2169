#include "records/exif.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tidemill {
namespace {

constexpr std::string_view kPngBegin = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kJpegBegin = "\xff\xd8\xff";
constexpr std::string_view kExifBegin = std::string_view("Exif\0\0", 6);

constexpr int kOrientation = 0x0112, kSubDirectory = 0x8769, kTakenAt = 0x9003, kOffset = 0x9011,
              kFraction = 0x9291;
constexpr int kText = 2, kShort = 3, kLong = 4;
constexpr size_t kMaxTextBytes = 64;

uint32_t Number(std::string_view bytes, bool little) {
  uint32_t number = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes[little ? bytes.size() - 1 - i : i]);
  }
  return number;
}

// A block in the layout of TIFF. Every read is within it; bytes outside read as nothing.
class ExifBlock {
 public:
  explicit ExifBlock(std::string_view bytes) : bytes_(bytes), little_(bytes.starts_with("II")) {}

  std::optional<Exif> Read() {
    if (!little_ && !bytes_.starts_with("MM")) return std::nullopt;
    constexpr uint32_t kMagic = 42;
    if (At(2, 2) != kMagic) return std::nullopt;
    const std::optional<uint32_t> first = At(4, 4);
    if (!first) return std::nullopt;
    uint32_t sub_directory = 0;
    ReadDirectory(*first, &sub_directory);
    if (sub_directory > 0) ReadDirectory(sub_directory, nullptr);
    return exif_;
  }

 private:
  std::optional<uint32_t> At(size_t offset, size_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return std::nullopt;
    return Number(bytes_.substr(offset, size), little_);
  }

  void ReadDirectory(size_t offset, uint32_t* sub_directory) {
    constexpr size_t kEntryBytes = 12;
    const std::optional<uint32_t> num_entries = At(offset, 2);
    if (!num_entries) return;
    for (size_t i = 0; i < *num_entries; ++i) {
      const size_t entry = offset + 2 + i * kEntryBytes;
      if (!At(entry, kEntryBytes)) return;
      ReadEntry(entry, sub_directory);
    }
  }

  void ReadEntry(size_t entry, uint32_t* sub_directory) {
    const uint32_t tag = *At(entry, 2), type = *At(entry + 2, 2);
    if (tag == kOrientation && type == kShort) {
      const auto orientation = static_cast<int>(*At(entry + 8, 2));
      if (orientation >= 1 && orientation <= 8) exif_.orientation = orientation;
    } else if (tag == kSubDirectory && type == kLong && sub_directory != nullptr) {
      *sub_directory = *At(entry + 8, 4);
    } else if (tag == kTakenAt && type == kText) {
      exif_.taken_at = TextOf(entry);
    } else if (tag == kOffset && type == kText) {
      exif_.offset = TextOf(entry);
    } else if (tag == kFraction && type == kText) {
      exif_.fraction = TextOf(entry);
    }
  }

  // Up to its first zero byte, without blanks around it.
  std::string TextOf(size_t entry) const {
    const size_t size = *At(entry + 4, 4);
    const size_t offset = size <= 4 ? entry + 8 : *At(entry + 8, 4);
    if (size > kMaxTextBytes || offset > bytes_.size() || size > bytes_.size() - offset) return "";
    std::string_view text = bytes_.substr(offset, size);
    text = text.substr(0, text.find('\0'));
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return std::string(text);
  }

  const std::string_view bytes_;
  const bool little_;
  Exif exif_;
};

// The segments before the pixels follow each other: ff, kind, two bytes of length.
std::optional<Exif> ReadJpeg(std::string_view file) {
  constexpr unsigned char kApp1 = 0xe1, kScan = 0xda;
  size_t at = 2;
  while (at + 4 <= file.size()) {
    if (file[at] != '\xff') return std::nullopt;
    const auto kind = static_cast<unsigned char>(file[at + 1]);
    if (kind == 0xff) {  // Bytes that fill.
      ++at;
      continue;
    }
    const size_t size = Number(file.substr(at + 2, 2), /*little=*/false);
    if (kind == kScan || size < 2) return std::nullopt;
    const std::string_view segment = file.substr(at + 4, size - 2);
    if (kind == kApp1 && segment.starts_with(kExifBegin)) {
      return ExifBlock(segment.substr(kExifBegin.size())).Read();
    }
    at += 2 + size;
  }
  return std::nullopt;
}

// Chunks: length, kind, bytes, checksum.
std::optional<Exif> ReadPng(std::string_view file) {
  size_t at = kPngBegin.size();
  while (at + 8 <= file.size()) {
    const size_t size = Number(file.substr(at, 4), /*little=*/false);
    if (file.substr(at + 4, 4) == "eXIf") return ExifBlock(file.substr(at + 8, size)).Read();
    if (size > file.size() - at - 8) return std::nullopt;
    at += 8 + size + 4;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Exif> ReadExif(std::string_view file) {
  if (file.starts_with(kJpegBegin)) return ReadJpeg(file);
  if (file.starts_with(kPngBegin)) return ReadPng(file);
  return std::nullopt;
}

}  // namespace tidemill
