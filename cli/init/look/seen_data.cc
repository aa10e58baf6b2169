#include "cli/init/look/seen_data.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/files.h"
#include "base/numbers/thousands.h"
#include "base/printable.h"
#include "records/file_kind.h"
#include "storage/trials/tried_files.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

struct Extension {
  std::string_view text = {};
  DataKind kind = {};
};
constexpr std::array<Extension, 11> kExtensions = {{{".csv", DataKind::kCsv},
                                                    {".tsv", DataKind::kCsv},
                                                    {".tab", DataKind::kCsv},
                                                    {".txt", DataKind::kCsv},
                                                    {".data", DataKind::kCsv},
                                                    {".dat", DataKind::kCsv},
                                                    {".jsonl", DataKind::kJsonLines},
                                                    {".ndjson", DataKind::kJsonLines},
                                                    {".png", DataKind::kImages},
                                                    {".jpg", DataKind::kImages},
                                                    {".jpeg", DataKind::kImages}}};

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool IsPacked(const std::string& path) {
  const std::string last = Lower(fs::path(path).extension().string());
  return last == ".gz" || last == ".xz" || last == ".zst";
}

// ".csv.gz" of "a/b.csv.gz": the extension as written, with that of a packing.
std::string ExtensionOf(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  std::string last = name.extension().string();
  if (!IsPacked(path)) return last;
  return name.stem().extension().string() + last;
}

std::optional<DataKind> KindOf(const std::string& extension) {
  const std::string lower = Lower(extension);
  for (const auto& [text, kind] : kExtensions) {
    if (lower == text || lower.starts_with(std::string(text) + ".")) return kind;
  }
  return std::nullopt;
}

// JSON files mostly describe other files. If there is nothing else, they are the data.
constexpr std::string_view kJson = ".json";
std::optional<DataKind> KindBesideNone(const std::string& extension) {
  const std::string lower = Lower(extension);
  const bool is_json = lower == kJson || lower.starts_with(std::string(kJson) + ".");
  return is_json ? DataKind::kJsonLines : KindOf(extension);
}

absl::StatusOr<std::string> ReadPart(const storage::OpenFile& file, int64_t offset, size_t most) {
  std::string bytes(most, '\0');
  ASSIGN_OR_RETURN(const size_t size, file.ReadAt(offset, bytes.data(), bytes.size()));
  bytes.resize(size);
  return bytes;
}

// Reads the front of a file, and its end where `most_at_end` is not 0.
absl::StatusOr<SeenFile> LookAtFile(storage::TriedFiles& files, const std::string& folder,
                                    const std::string& path, size_t most = kMaxFrontBytes,
                                    size_t most_at_end = kMaxEndBytes) {
  const std::string whole = files::Join(folder, path);
  SeenFile seen{.path = path};
  ASSIGN_OR_RETURN(const storage::OpenFile file, files.Open(whole));
  ASSIGN_OR_RETURN(const storage::FileIdentity identity, file.Identity());
  ASSIGN_OR_RETURN(const storage::OpenFile packed, files.OpenPacked(whole));
  ASSIGN_OR_RETURN(const storage::FileIdentity on_disk, packed.Identity());
  const bool is_cut =
      file.is_remote() && identity.size_bytes >= storage::UnpackedCache::kMaxOfStart;
  seen.size = identity.size_bytes;
  seen.is_packed = identity.size_bytes != on_disk.size_bytes || is_cut;
  ASSIGN_OR_RETURN(seen.front, ReadPart(file, 0, most));
  const auto rest = seen.size - static_cast<int64_t>(seen.front.size());
  // The end of what unpacks is not that of the file.
  seen.is_cut = is_cut;
  if (rest > 0 && !is_cut) {
    const auto at_end = std::min<int64_t>(rest, static_cast<int64_t>(most_at_end));
    ASSIGN_OR_RETURN(seen.end, ReadPart(file, seen.size - at_end, static_cast<size_t>(at_end)));
    seen.is_cut = at_end < rest;
  }
  return seen;
}

// The kind of a file by its name or, where that does not tell, by its first bytes.
absl::StatusOr<DataKind> KindOfOne(const std::string& path, const SeenFile& seen) {
  if (const auto kind = KindOfFile(seen.front);
      kind && KindOf(ExtensionOf(path)) != DataKind::kImages) {
    return InvalidArgument("{} is not text, {}", path, kind->Explain());
  }
  const size_t first = seen.front.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string::npos)
    return InvalidArgument("{} is empty; give a file with data", path);
  if (seen.front[first] == '[') {
    return InvalidArgument(
        "{} is one JSON list; write one object a line: jq -c '.[]' {} > data.jsonl", path, path);
  }
  if (seen.front[first] == '{') return DataKind::kJsonLines;
  const auto named = KindOf(ExtensionOf(path));
  if (named == DataKind::kImages) {
    return InvalidArgument("{} is one image; give the folder with the folders of its classes",
                           path);
  }
  if (named == DataKind::kJsonLines) {
    return InvalidArgument("{} does not begin with a JSON object; each line has to be one", path);
  }
  return DataKind::kCsv;
}

absl::StatusOr<SeenData> LookAtOne(const std::string& path) {
  storage::TriedFiles files;
  const fs::path whole = fs::path(path);
  SeenData data{.folder = whole.parent_path().string(),
                .files = whole.filename().string(),
                .paths = {whole.filename().string()}};
  if (data.files.find_first_of("*?") != std::string::npos) {
    return InvalidArgument(
        "{} has a * or ? in its name, which stands for other text in `files`; "
        "rename it",
        path);
  }
  ASSIGN_OR_RETURN(SeenFile seen, LookAtFile(files, data.folder, data.files));
  ASSIGN_OR_RETURN(data.kind, KindOfOne(path, seen));
  std::error_code error;
  data.num_bytes = static_cast<int64_t>(fs::file_size(whole, error));
  data.seen.push_back(std::move(seen));
  return data;
}

// The files by their extension, and which of these is the most frequent.
struct Extensions {
  std::map<std::string, std::vector<const storage::ListedFile*>> files;
  std::map<DataKind, int64_t> kinds = {};
};

Extensions Sort(const storage::FileListing& listing, bool takes_json) {
  Extensions sorted;
  for (const storage::ListedFile& file : listing.files) {
    const std::string extension = ExtensionOf(file.path);
    const auto kind = takes_json ? KindBesideNone(extension) : KindOf(extension);
    if (!kind) continue;
    sorted.files[extension].push_back(&file);
    ++sorted.kinds[*kind];
  }
  return sorted;
}

// Takes the files of a kind: those of one extension or, of images, of all.
void Take(const Extensions& sorted, DataKind kind, SeenData& data) {
  std::vector<std::string> extensions;
  for (const auto& [extension, files] : sorted.files) {
    if (KindBesideNone(extension) == kind) extensions.push_back(extension);
  }
  std::ranges::stable_sort(extensions, [&](const std::string& a, const std::string& b) {
    return sorted.files.at(a).size() > sorted.files.at(b).size();
  });
  if (kind != DataKind::kImages) extensions.resize(1);
  data.kind = kind;
  data.files = extensions.size() == 1 ? "**/*" + extensions.front() : "**";
  std::vector<const storage::ListedFile*> taken;
  for (const std::string& extension : extensions) {
    const auto& files = sorted.files.at(extension);
    taken.insert(taken.end(), files.begin(), files.end());
  }
  std::ranges::sort(taken, {}, &storage::ListedFile::path);
  for (const storage::ListedFile* file : taken) {
    data.paths.push_back(file->path);
    if (kind == DataKind::kImages) data.modified.push_back(file->identity.modified_nanos);
    data.num_bytes += file->identity.size_bytes;
  }
}

// Reads the first file, the last one, and the beginnings of others, spread over all.
absl::Status LookAtSome(storage::TriedFiles& files, SeenData& data) {
  const size_t num_files = data.paths.size();
  const bool packed = IsPacked(data.paths.front());
  const size_t most = std::min(num_files, packed ? kMostUnpackedFiles : kMostSeenFiles);
  for (size_t place = 0; place < most; ++place) {
    const size_t file = most == 1 ? 0 : place * (num_files - 1) / (most - 1);
    const bool between = place > 0 && place + 1 < most;
    ASSIGN_OR_RETURN(SeenFile seen, LookAtFile(files, data.folder, data.paths[file],
                                               between ? kMaxBetweenBytes : kMaxFrontBytes,
                                               between ? 0 : kMaxEndBytes));
    if (place == 0) RETURN_IF_ERROR(KindOfOne(data.paths[file], seen).status());
    // Files that hold nothing say nothing; the first one was refused.
    if (place == 0 || !seen.front.empty()) data.seen.push_back(std::move(seen));
  }
  return absl::OkStatus();
}

absl::StatusOr<SeenData> LookAtFolder(const std::string& folder) {
  storage::TriedFiles files;
  SeenData data{.folder = folder};
  ASSIGN_OR_RETURN(const storage::FileListing listing, files.List(folder, "**"));
  Extensions sorted = Sort(listing, /*takes_json=*/false);
  if (sorted.kinds.empty()) sorted = Sort(listing, /*takes_json=*/true);
  if (sorted.kinds.empty()) {
    std::vector<std::string_view> names;
    for (const auto& [text, kind] : kExtensions) names.push_back(text);
    return NotFound(
        "{} has no file whose name ends in one of {} and {}, packed or not; name the folder that "
        "has them, or a file",
        folder, fmt::join(names, ", "), kJson);
  }
  const auto most =
      std::ranges::max_element(sorted.kinds, {}, [](const auto& kind) { return kind.second; });
  Take(sorted, most->first, data);
  data.num_others = static_cast<int64_t>(listing.files.size() - data.paths.size());
  if (data.kind == DataKind::kImages) return data;
  RETURN_IF_ERROR(LookAtSome(files, data));
  return data;
}

}  // namespace

absl::StatusOr<SeenData> LookAtData(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  if (error || !fs::exists(whole, error)) {
    return NotFound("{} does not exist; name a file or a folder with data", Quoted(path));
  }
  return fs::is_directory(whole, error) ? LookAtFolder(whole.string()) : LookAtOne(whole.string());
}

std::string SeenData::Describe() const {
  int64_t read = 0;
  bool packed = false;
  for (const SeenFile& file : seen) {
    read += static_cast<int64_t>(file.front.size() + file.end.size());
    packed |= file.is_packed;
  }
  std::string bytes = packed
                          ? fmt::format("{}, unpacked, of {}", WithUnit(read), WithUnit(num_bytes))
                          : fmt::format("{} of {}", WithUnit(read), WithUnit(num_bytes));
  if (paths.size() == 1) return bytes;
  if (seen.size() == paths.size()) return fmt::format("{} in {} files", bytes, paths.size());
  return fmt::format("{} in {} of {} files", bytes, seen.size(), paths.size());
}

}  // namespace tidemill::cli
