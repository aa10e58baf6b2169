#include "cli/init/candidates/first_rows.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "base/numbers/thousands.h"
#include "storage/trials/tried_files.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kParts = 64;
constexpr size_t kMostFiles = 256;

// A file, and how many of its first bytes belong to the part that is tried.
struct FileRange {
  std::string path = {};
  int64_t num_bytes = 0;
  bool is_whole = true;
};

int64_t SizeOf(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(size);
}

// At most kMostFiles of them, at equal distances.
std::vector<std::string> SomeOf(const std::vector<std::string>& paths, size_t most) {
  if (paths.size() <= most) return paths;
  std::vector<std::string> some;
  for (size_t place = 0; place < most; ++place) {
    some.push_back(paths[place * paths.size() / most]);
  }
  return some;
}

absl::Status CopyTimes(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(from, error);
  if (!error) fs::last_write_time(to, time - std::chrono::minutes(1), error);
  if (error) return Unavailable("cannot set the time of {}: {}", to.string(), error.message());
  return absl::OkStatus();
}

// Copies lines of one dataset.
class RowCopier {
 public:
  // `bytes_of_row` is what a row has on average.
  RowCopier(const DraftedFiles& files, std::string to, double bytes_of_row)
      : files_(files), to_(std::move(to)), least_part_(LeastPart(bytes_of_row)) {}

  // Copies about `quota` bytes of a range.
  absl::Status Copy(const FileRange& range, int64_t quota) {
    const std::string from = files::Join(files_.folder, range.path);
    ASSIGN_OR_RETURN(const storage::OpenFile file, tried_.Open(from));
    std::string bytes;
    if (quota >= range.num_bytes) {
      // A whole file may lack the end of its last line.
      ASSIGN_OR_RETURN(bytes, Read(file, 0, range.num_bytes));
      if (!range.is_whole) CutLastLine(bytes);
    } else {
      ASSIGN_OR_RETURN(bytes, ReadParts(file, range.num_bytes, quota));
    }
    num_lines_ += std::ranges::count(bytes, '\n') - files_.header_lines;
    return Write(range.path, from, bytes);
  }

  int64_t num_lines() const { return std::max<int64_t>(0, num_lines_); }
  bool in_parts() const { return in_parts_; }

 private:
  static absl::StatusOr<std::string> Read(const storage::OpenFile& file, int64_t offset,
                                          int64_t size) {
    std::string bytes(static_cast<size_t>(size), '\0');
    ASSIGN_OR_RETURN(const size_t read, file.ReadAt(offset, bytes.data(), bytes.size()));
    bytes.resize(read);
    return bytes;
  }

  // A part has several rows; the first and the last of them are cut.
  static int64_t LeastPart(double bytes_of_row) {
    constexpr double kRows = 8;
    constexpr int64_t kPage = 4096;
    return std::max(kPage, static_cast<int64_t>(kRows * bytes_of_row));
  }

  // A last line without its end may be cut.
  static void CutLastLine(std::string& bytes) { bytes.resize(bytes.rfind('\n') + 1); }

  // The head of the file, then parts at equal distances, each of whole lines.
  absl::StatusOr<std::string> ReadParts(const storage::OpenFile& file, int64_t range,
                                        int64_t quota) {
    in_parts_ = true;
    const int64_t num_parts = std::clamp<int64_t>(quota / least_part_, 1, kParts);
    const int64_t size = std::max(least_part_, quota / num_parts);
    std::string bytes;
    for (int64_t part = 0; part < num_parts; ++part) {
      ASSIGN_OR_RETURN(std::string read, Read(file, part * range / num_parts, size));
      CutLastLine(read);
      const size_t begin = part == 0 ? 0 : read.find('\n') + 1;
      bytes.append(read, std::min(begin, read.size()));
    }
    return bytes;
  }

  absl::Status Write(const std::string& name, const std::string& from, std::string_view bytes) {
    const fs::path path = files::Join(to_, name);
    RETURN_IF_ERROR(files::CreateFolder(path.parent_path().string()));
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) return Unavailable("cannot write {}", path.string());
    return CopyTimes(from, path);
  }

  const DraftedFiles& files_;
  const std::string to_;
  const int64_t least_part_;
  storage::TriedFiles tried_;
  int64_t num_lines_ = 0;
  bool in_parts_ = false;
};

// The share of the rows that is tried.
double ShareOf(int64_t num_rows, int64_t least) {
  if (num_rows <= 0) return 1;
  return std::clamp(static_cast<double>(least) / static_cast<double>(num_rows), 1.0 / 3, 1.0);
}

std::vector<FileRange> RangesOf(const DraftedFiles& files, double share) {
  std::vector<FileRange> ranges;
  int64_t all = 0;
  for (const std::string& path : SomeOf(files.paths, kMostFiles)) {
    ranges.push_back({path, SizeOf(files::Join(files.folder, path))});
    all += ranges.back().num_bytes;
  }
  if (!files.in_order) {
    for (FileRange& range : ranges) {
      range.is_whole = share >= 1;
      range.num_bytes = static_cast<int64_t>(static_cast<double>(range.num_bytes) * share);
    }
    return ranges;
  }
  auto left = static_cast<int64_t>(static_cast<double>(all) * share);
  for (FileRange& range : ranges) {
    range.is_whole = range.num_bytes <= left;
    range.num_bytes = std::min(range.num_bytes, left);
    left -= range.num_bytes;
  }
  std::erase_if(ranges, [](const FileRange& range) { return range.num_bytes == 0; });
  return ranges;
}

std::string SharePhrase(double share) {
  if (share >= 1) return "rows";
  return share > 0.34 ? fmt::format("rows of the first {:.0f} %", 100 * share)
                      : "rows of the first third";
}

absl::StatusOr<FirstRows> CopyTable(const PipelineDraft& draft, const std::string& to,
                                    const RowLimits& limits) {
  const int64_t num_rows = draft.training.num_samples;
  const double share = ShareOf(num_rows, limits.least_rows);
  const std::vector<FileRange> ranges = RangesOf(draft.files, share);
  int64_t range = 0;
  for (const FileRange& one : ranges) range += one.num_bytes;
  const int64_t most_rows =
      std::min(limits.num_rows, limits.num_cells / std::max<int64_t>(1, draft.num_columns));
  const double of_rows =
      static_cast<double>(most_rows) / std::max(1.0, share * static_cast<double>(num_rows));
  const double quota =
      std::min({1.0, of_rows,
                static_cast<double>(limits.num_bytes) / std::max(1.0, static_cast<double>(range))});
  RowCopier copier(
      draft.files, to,
      static_cast<double>(range) / std::max(1.0, share * static_cast<double>(num_rows)));
  for (const FileRange& one : ranges) {
    RETURN_IF_ERROR(copier.Copy(
        one, static_cast<int64_t>(std::ceil(static_cast<double>(one.num_bytes) * quota))));
  }
  return FirstRows{
      .num_rows = copier.num_lines(),
      .description = fmt::format("{}{} {}{}", copier.in_parts() || share >= 1 ? "" : "the ",
                                 WithThousands(copier.num_lines()), SharePhrase(share),
                                 copier.in_parts() ? ", in parts at equal distances" : "")};
}

absl::StatusOr<FirstRows> CopyImages(const PipelineDraft& draft, const std::string& to,
                                     const RowLimits& limits) {
  std::vector<std::string> paths = draft.files.paths;
  const double share = ShareOf(std::ssize(paths), limits.num_images);
  const auto most = std::min<size_t>(static_cast<size_t>(limits.num_images), paths.size());
  const std::vector<std::string> some = SomeOf(paths, most);
  for (const std::string& path : some) {
    const fs::path from = files::Join(draft.files.folder, path);
    const fs::path target = files::Join(to, path);
    RETURN_IF_ERROR(files::CreateFolder(target.parent_path().string()));
    std::error_code error;
    fs::copy_file(from, target, error);
    if (error) return Unavailable("cannot copy {}: {}", from.string(), error.message());
    RETURN_IF_ERROR(CopyTimes(from, target));
  }
  return FirstRows{.num_rows = std::ssize(some),
                   .description = fmt::format("{} images{}", WithThousands(std::ssize(some)),
                                              share >= 1 ? "" : " of all folders")};
}

}  // namespace

absl::StatusOr<FirstRows> CopyFirstRows(const PipelineDraft& draft, const std::string& to,
                                        const RowLimits& limits) {
  return draft.files.kind == DataKind::kImages ? CopyImages(draft, to, limits)
                                               : CopyTable(draft, to, limits);
}

}  // namespace tidemill::cli
