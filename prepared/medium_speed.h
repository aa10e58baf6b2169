// How fast a folder keeps and finds rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tidemill::prepared {

// The bytes that a row takes beside its numbers: its entry.
inline constexpr int64_t kEntryBytes = 64;

// In nanoseconds of a thread: a part for each row, and one for each byte.
struct MediumSpeed {
  double read_row_ns = 2'000;
  double read_byte_ns = 0.25;
  double write_row_ns = 2'000;
  double write_byte_ns = 0.6;

  double ReadNs(int64_t row_bytes) const {
    return read_row_ns + read_byte_ns * static_cast<double>(row_bytes);
  }
  double WriteNs(int64_t row_bytes) const {
    return write_row_ns + write_byte_ns * static_cast<double>(row_bytes);
  }
};

// Measures with a file of 32 MiB, more than processors keep,, which is read from the device and not
// from the kernel's memory, and remembers the result in the folder for a day. A folder that cannot
// be written has the default.
MediumSpeed SpeedOf(const std::string& folder);

// Writes what was measured to a file, and returns what was written there within a day. A failure
// costs a measurement.
void RememberSpeed(const std::string& path, const MediumSpeed& speed);
std::optional<MediumSpeed> RememberedSpeed(const std::string& path);

}  // namespace tidemill::prepared
