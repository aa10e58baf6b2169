// Asks a user's format for the records in pieces of files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "batch/batch.h"
#include "plugin/process/plugin_instance.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::storage {

struct FilePiece {
  std::string_view bytes;
  int64_t offset = 0;  // The place of the piece in its file.
  bool is_last = false;
  std::string_view head;  // The first bytes of the file.
};

// A plug-in's answer about a piece. The numbers are in memory that the plug-in's process may write
// to at any time: readers must read each number once, and check the value that they have read.
struct PieceRecords {
  batch::Batch columns;
  std::span<const int64_t> begins;
  std::span<const int64_t> ends;
  const batch::Column* labels = nullptr;       // int64 or float64; nullptr where there are none.
  const batch::Column* event_times = nullptr;  // int64; nullptr where there are none.
  std::map<int64_t, std::string> bad;          // The rows that are not samples, and why.
  int64_t consumed = 0;                        // From 0 to the size of the piece.
};

// A process of the plug-in that reads one file. It returns to its pool when this object is
// destroyed.
class PluginReader;

// The processes of one plug-in. Thread-safe.
class PluginReaders {
 public:
  // `use` holds the program, and what the plug-in said about itself.
  static absl::StatusOr<std::unique_ptr<PluginReaders>> Create(const plugin::PluginUse& use);

  // The number of bytes from the beginning of a file that the plug-in wants to see.
  int64_t head_bytes() const { return head_bytes_; }

  // UNAVAILABLE after its process has died on several files in succession: the remaining files
  // would take as long. The next sync reads them.
  // Reads end with CANCELLED soon after `is_unwanted` is true.
  absl::StatusOr<PluginReader> Take(const std::function<bool()>& is_unwanted)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend class PluginReader;

  PluginReaders(plugin::PluginUse use, int64_t head_bytes)
      : use_(std::move(use)), head_bytes_(head_bytes) {}
  void PutBack(std::unique_ptr<plugin::PluginInstance> instance) ABSL_LOCKS_EXCLUDED(mutex_);

  const plugin::PluginUse use_;
  const int64_t head_bytes_;
  std::atomic<int> num_deaths_ = 0;  // Deaths on consecutive files.
  Mutex mutex_;
  std::vector<std::unique_ptr<plugin::PluginInstance>> idle_ ABSL_GUARDED_BY(mutex_);
};

// Thread-compatible.
class PluginReader {
 public:
  PluginReader(PluginReaders& readers, std::unique_ptr<plugin::PluginInstance> instance)
      : readers_(&readers), instance_(std::move(instance)) {}
  PluginReader(PluginReader&&) = default;
  ~PluginReader() {
    if (instance_ != nullptr) readers_->PutBack(std::move(instance_));
  }

  // The answer is valid until the next call. A process that dies is replaced once, and asked again.
  // FAILED_PRECONDITION: the plug-in failed, and would fail again. UNAVAILABLE: no process could be
  // started.
  absl::StatusOr<PieceRecords> Read(const FilePiece& piece);

  // Returns a failure of the plug-in, with the plug-in's name.
  absl::Status Fault(std::string_view what) const;

 private:
  absl::StatusOr<PieceRecords> ReadAnswer(const nlohmann::json& answer, const FilePiece& piece);

  PluginReaders* readers_;
  std::unique_ptr<plugin::PluginInstance> instance_;
};

}  // namespace tidemill::storage
