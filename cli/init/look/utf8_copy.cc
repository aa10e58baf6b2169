#include "cli/init/look/utf8_copy.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/printable.h"
#include "records/text.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

// What Windows-1252 has in the places of Latin-1's control characters; 0 when it has nothing.
constexpr std::array<char32_t, 32> kFrom80 = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

void AppendUtf8(char32_t code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xe0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

std::string Converted(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 16);
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    const bool windows = value >= 0x80 && value < 0xa0 && kFrom80[value - 0x80] != 0;
    AppendUtf8(windows ? kFrom80[value - 0x80] : value, text);
  }
  return text;
}

// Calls `use` with the lines of a file, many at once. Ends when it returns false.
template <typename Use>
absl::Status ForEachPiece(const std::string& path, Use use) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("{} cannot be opened; check its name and mode", Quoted(path));
  std::vector<char> piece(size_t{1} << 20);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (!use(std::string_view(piece.data(), static_cast<size_t>(file.gcount())))) break;
  }
  if (file.bad()) return DataLoss("{} could not be read to its end", Quoted(path));
  return absl::OkStatus();
}

absl::StatusOr<bool> IsUtf8(const std::string& path) {
  bool all = true;
  std::string rest;  // A character may be in two pieces.
  RETURN_IF_ERROR(ForEachPiece(path, [&](std::string_view piece) {
    rest += piece;
    size_t end = rest.size();
    for (size_t back = 0; back < 3 && end > 0 && (rest[end - 1] & 0x80) != 0; ++back) --end;
    all = IsText(std::string_view(rest).substr(0, end));
    rest.erase(0, end);
    return all;
  }));
  return all && IsText(rest);
}

}  // namespace

absl::StatusOr<std::string> CopyAsUtf8(const std::string& path, bool overwrite) {
  ASSIGN_OR_RETURN(const bool is_utf8, IsUtf8(path));
  if (is_utf8) return path;
  const fs::path from(path);
  std::string to =
      (from.parent_path() / from.stem()).string() + ".utf8" + from.extension().string();
  if (fs::exists(to) && !overwrite) {
    return AlreadyExists("{} already exists; use it, or overwrite it with --force", Quoted(to));
  }
  const std::string begun = to + ".part";
  std::ofstream copy(begun, std::ios::binary);
  const absl::Status read = ForEachPiece(path, [&](std::string_view piece) {
    copy << Converted(piece);
    return static_cast<bool>(copy);
  });
  copy.close();
  std::error_code error;
  if (read.ok() && copy) fs::rename(begun, to, error);
  if (read.ok() && copy && !error) return to;
  fs::remove(begun, error);
  RETURN_IF_ERROR(read);
  return Unavailable("{} could not be written; make room, or convert the file elsewhere",
                     Quoted(to));
}

}  // namespace tidemill::cli
