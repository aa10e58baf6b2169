#include "records/file_kind.h"

#include <algorithm>
#include <array>

#include "fmt/format.h"

namespace tidemill {

namespace {

using std::string_view_literals::operator""sv;

struct Magic {
  std::string_view bytes;
  bool is_text;  // So that other bytes must show that it is not.
  FileKind kind;
};

constexpr std::string_view kUnpack = "unpack it, or pack it with gzip, xz or zstd";
constexpr std::string_view kExport = "write its table as CSV";
constexpr std::string_view kWriteRecords = "write its records as CSV, JSON lines or binary records";
constexpr std::string_view kImages = "read images with format single_file or tar";
constexpr std::string_view kPackedTwice = "unpack it once: it is packed twice, or damaged";

constexpr std::array kMagics = {
    Magic{"\x1f\x8b"sv, false, {"a gzip file", kPackedTwice}},
    Magic{"\xfd\x37zXZ\0"sv, false, {"an xz file", kPackedTwice}},
    Magic{"\x28\xb5\x2f\xfd"sv, false, {"a zstd file", kPackedTwice}},
    Magic{"BZh"sv, true, {"a bzip2 file", kUnpack}},
    Magic{"\x04\x22\x4d\x18"sv, false, {"an lz4 file", kUnpack}},
    Magic{"\x02\x21\x4c\x18"sv, false, {"an lz4 file", kUnpack}},
    Magic{"\x1f\x9d"sv, false, {"a file of compress (.Z)", kUnpack}},
    Magic{"\xff\x06\0\0sNaPpY"sv, false, {"a snappy file", kUnpack}},
    Magic{"7z\xbc\xaf\x27\x1c"sv, false, {"a 7z archive", kUnpack}},
    Magic{"Rar!\x1a\x07"sv, false, {"a RAR archive", kUnpack}},
    Magic{"PK\x05\x06"sv, false, {"an empty zip archive", kUnpack}},
    Magic{"PAR1"sv, true, {"a Parquet file", kExport}},
    Magic{"ARROW1"sv, true, {"an Arrow (Feather) file", kExport}},
    Magic{"FEA1"sv, true, {"a Feather file", kExport}},
    Magic{"\xff\xff\xff\xff"sv, false, {"an Arrow stream", kExport}},
    Magic{"ORC"sv, true, {"an ORC file", kExport}},
    Magic{"Obj\x01"sv, false, {"an Avro file", kWriteRecords}},
    Magic{"\x89HDF\r\n\x1a\n"sv, false, {"an HDF5 file", kWriteRecords}},
    Magic{
        "\x93NUMPY"sv,
        false,
        {"a NumPy array", "write its bytes without the header, and read them with format binary"}},
    Magic{"SQLite format 3\0"sv, false, {"an SQLite database", kExport}},
    Magic{"MATLAB 5.0 MAT-file"sv, true, {"a MATLAB file", kWriteRecords}},
    Magic{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv,
          false,
          {"an old Office file (xls)", "save its sheet as CSV"}},
    Magic{"%PDF-"sv, false, {"a PDF document", kExport}},
    Magic{"\x89PNG\r\n\x1a\n"sv, false, {"a PNG image", kImages}},
    Magic{"\xff\xd8\xff"sv, false, {"a JPEG image", kImages}},
    Magic{"GIF8"sv, true, {"a GIF image", kImages}},
    Magic{"RIFF"sv, true, {"a RIFF file (wav, webp, avi)", kWriteRecords}},
    Magic{"\x7f"
          "ELF"sv,
          false,
          {"a program", "check the pattern `files`"}},
    Magic{"\xff\xfe\0\0"sv, false, {"text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8"}},
    Magic{"\0\0\xfe\xff"sv, false, {"text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8"}},
    Magic{"\xff\xfe"sv, false, {"text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"}},
    Magic{"\xfe\xff"sv, false, {"text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"}},
};

// Bytes that no text has.
bool HasBinaryBytes(std::string_view bytes) {
  return std::ranges::any_of(bytes.substr(0, 256), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 7 || (byte > 13 && byte < 27);
  });
}

bool StartsWithWord(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::ranges::equal(text.substr(0, lower.size()), lower, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

// The first member of a zip archive tells what it is.
FileKind KindOfZip(std::string_view bytes) {
  constexpr size_t kNameAt = 30;
  const std::string_view name = bytes.size() > kNameAt ? bytes.substr(kNameAt) : "";
  if (name.starts_with("[Content_Types].xml") || name.starts_with("_rels/") ||
      name.starts_with("xl/") || name.starts_with("docProps/")) {
    return {"an Office file (xlsx)", "save its sheet as CSV"};
  }
  const size_t end = bytes.size() > kNameAt ? static_cast<unsigned char>(bytes[26]) : 0;
  if (name.substr(0, end).ends_with(".npy")) {
    return {"a file of NumPy arrays (npz)", kWriteRecords};
  }
  if (name.find("/data.pkl") < end) return {"a file of torch.save", kWriteRecords};
  return {"a zip archive", kUnpack};
}

std::optional<FileKind> KindOfText(std::string_view bytes) {
  bytes.remove_prefix(std::min(bytes.size(), bytes.find_first_not_of(" \t\r\n")));
  if (StartsWithWord(bytes, "<!doctype html") || StartsWithWord(bytes, "<html")) {
    return FileKind{"a web page (HTML)",
                    "download the file itself; such a page often says why it was not given"};
  }
  if (bytes.starts_with("<?xml")) return FileKind{"an XML document", kWriteRecords};
  if (bytes.starts_with("version https://git-lfs.github.com/spec/")) {
    return FileKind{"a pointer of Git LFS, not the file itself", "fetch it: git lfs pull"};
  }
  return std::nullopt;
}

// Text in UTF-16 that does not say so: every second byte of most letters is zero.
std::optional<FileKind> KindOfZeros(std::string_view bytes) {
  size_t zeros[2] = {};
  for (size_t i = 0; i < bytes.size(); ++i) zeros[i % 2] += bytes[i] == '\0' ? 1 : 0;
  const size_t all = zeros[0] + zeros[1];
  if (all == bytes.size() && all > 0) {
    return FileKind{"zero bytes where its content should be", "write or copy the file again"};
  }
  const bool alternate = std::min(zeros[0], zeros[1]) * 10 <= all;
  if (all * 4 > bytes.size() && alternate) {
    return FileKind{"text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"};
  }
  return std::nullopt;
}

}  // namespace

std::string FileKind::Explain() const { return fmt::format("it is {}: {}", name, hint); }

std::optional<FileKind> KindOfFile(std::string_view first_bytes) {
  const std::string_view bytes = first_bytes.substr(0, kKindBytes);
  if (bytes.starts_with("PK\x03\x04")) return KindOfZip(bytes);
  for (const Magic& magic : kMagics) {
    if (!bytes.starts_with(magic.bytes)) continue;
    if (!magic.is_text || HasBinaryBytes(bytes)) return magic.kind;
  }
  if (bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5) {
    return FileKind{"a pickle of Python", kWriteRecords};
  }
  if (bytes.size() >= 262 && bytes.substr(257).starts_with("ustar")) {
    return FileKind{kTarArchive, "unpack it, or read its samples with format tar"};
  }
  if (auto text = KindOfText(bytes)) return text;
  return KindOfZeros(bytes);
}

}  // namespace tidemill
