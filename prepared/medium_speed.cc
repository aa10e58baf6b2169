#include "prepared/medium_speed.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "base/descriptor.h"
#include "base/files.h"
#include "base/paths/regular_file.h"
#include "base/whole_io.h"
#include "xxhash.h"

namespace tidemill::prepared {
namespace {

constexpr size_t kProbeBytes = size_t{32} << 20;
constexpr int kProbeRows = 256;
constexpr size_t kProbeRowBytes = 64;
constexpr int64_t kValidSeconds = 24 * 3600;

double NsOf(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::optional<MediumSpeed> RememberedSpeed(const std::string& path) {
  struct stat about = {};
  if (stat(path.c_str(), &about) != 0 ||
      about.st_mtim.tv_sec + kValidSeconds < std::time(nullptr)) {
    return std::nullopt;
  }
  const auto text = files::ReadRegular(path, 4096);
  MediumSpeed speed;
  if (!text.ok() || sscanf(text->c_str(), "%lf %lf %lf %lf", &speed.read_row_ns,
                           &speed.read_byte_ns, &speed.write_row_ns, &speed.write_byte_ns) != 4) {
    return std::nullopt;
  }
  return speed;
}

void RememberSpeed(const std::string& path, const MediumSpeed& speed) {
  files::WriteAtomically(path, fmt::format("{} {} {} {}\n", speed.read_row_ns, speed.read_byte_ns,
                                           speed.write_row_ns, speed.write_byte_ns))
      .IgnoreError();
}

MediumSpeed SpeedOf(const std::string& folder) {
  const std::string remembered_at = files::Join(folder, "speed");
  if (const auto remembered = RememberedSpeed(remembered_at)) return *remembered;
  MediumSpeed speed;
  if (!files::CreateFolder(folder).ok()) return speed;
  const std::string path = files::Join(folder, fmt::format("probe-{}", getpid()));
  unlink(path.c_str());  // A killed process may have had this number.
  const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return speed;
  unlink(path.c_str());
  std::string bytes(kProbeBytes, '\7');
  bool is_whole = false;
  const double write_ns = NsOf([&] { is_whole = WriteWholeAt(file.number(), bytes, 0); });
  if (!is_whole) return speed;
  fdatasync(file.number());
  posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
  volatile uint64_t sum = 0;
  const double read_ns = NsOf([&] {
    constexpr size_t kPiece = size_t{128} << 10;
    for (size_t at = 0; at < kProbeBytes; at += kPiece) {
      ReadWholeAt(file.number(), {bytes.data() + at, kPiece}, static_cast<int64_t>(at));
      sum = sum + XXH3_64bits(bytes.data() + at, kPiece);
    }
  });
  const double rows_ns = NsOf([&] {
    for (int row = 0; row < kProbeRows; ++row) {
      const auto at = static_cast<size_t>(row) * 8192;
      ReadWholeAt(file.number(), {bytes.data(), kProbeRowBytes}, static_cast<int64_t>(at));
      sum = sum + XXH3_64bits(bytes.data(), kProbeRowBytes);
    }
  });
  speed.read_byte_ns = read_ns / static_cast<double>(kProbeBytes);
  speed.write_byte_ns = write_ns / static_cast<double>(kProbeBytes);
  speed.read_row_ns = rows_ns / kProbeRows + 500;
  speed.write_row_ns = speed.read_row_ns;
  RememberSpeed(remembered_at, speed);
  return speed;
}

}  // namespace tidemill::prepared
