// Reads and writes that continue where the system or a signal cuts them short.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace tidemill {

// Writes all bytes at the place of the descriptor, or at `offset`. Returns false, with errno.
bool WriteWhole(int file, std::string_view bytes);
bool WriteWholeAt(int file, std::string_view bytes, int64_t offset);

// Reads until `bytes` are full or the file ends. Returns the number of bytes read; -1 with errno.
ssize_t ReadWholeAt(int file, std::span<char> bytes, int64_t offset);

// Reads one piece, of a byte or more unless the file ends. Returns as ReadWholeAt().
ssize_t ReadSome(int file, std::span<char> bytes);

}  // namespace tidemill
