// A sealed training set in memory, and its rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::selector {
class SelectorClient;
namespace v1 {
class TrainingSet;
}
}  // namespace tidemill::selector
namespace tidemill::storage {
class StorageClient;
}

namespace tidemill::loader {

// Key n has ordinal n.
struct TrainingSet {
  std::vector<int64_t> keys = {};
  // One weight per key, or empty when every weight is 1.
  std::vector<float> weights = {};
  // The SHA-256 of the sealed file.
  std::string digest = {};
  // The key of ordinal 0 in a set that is known to have consecutive keys, as one of all samples of
  // a dataset mostly has. Its keys then need no look into memory.
  std::optional<int64_t> first_of_consecutive = {};
  // The share of the entries of the trigger before that were selected again for this one; 0 for the
  // first trigger.
  double selected_again = 0;

  int64_t size() const { return static_cast<int64_t>(keys.size()); }
};

// NOT_FOUND before the set is sealed.
absl::StatusOr<TrainingSet> ReadTrainingSet(selector::SelectorClient& selector, RunId run,
                                            int64_t trigger);

// Reads the entries of a set that the selector has described so.
absl::StatusOr<TrainingSet> ReadEntries(selector::SelectorClient& selector, RunId run,
                                        int64_t trigger, const selector::v1::TrainingSet& sealed);

// A key that could not be read, and the reason.
struct Unreadable {
  int64_t key = 0;
  std::string reason;
  // Whether the sample was deleted. Otherwise it should be there, and is bad.
  bool deleted = false;
};

// Reads samples in the order of `keys`. A key that is listed twice is read twice. Keys that cannot
// be read are left out of the batches and listed. Called from several threads.
using SampleSink = std::function<absl::Status(batch::Batch, std::vector<Unreadable>)>;
using SampleReader =
    std::function<absl::Status(std::span<const int64_t> keys, const SampleSink& sink)>;

// Reads from the storage service. `storage` must outlive the reader.
SampleReader ReaderOf(const storage::StorageClient& storage, DatasetId dataset);

// Reads the same samples with placeholder labels; see batch::ForgetLabels().
SampleReader WithoutLabels(SampleReader reader);

// The rows of a training set that were read, and the samples that were not.
struct Rows {
  // Samples with the additional column `ordinal` and, in a weighted set, `weight`.
  std::vector<batch::Batch> pieces = {};
  // The requested samples that are not in `pieces`: the bad and the filtered ones.
  int64_t num_missing = 0;
  // Samples that could not be read or transformed, once for each occurrence.
  std::vector<Unreadable> bad = {};
  // The keys of the samples that the graph has filtered.
  std::vector<int64_t> filtered = {};
};

// Reads the samples with these ordinals, in that order. `each` gets them in pieces of at most
// `max_rows` rows as they arrive, and may change them. Pieces that fit into the processor's cache
// are changed faster. CANCELLED when `stop` is requested. INTERNAL when the reader returns other
// keys than requested.
absl::StatusOr<Rows> ReadRows(const TrainingSet& set, std::span<const int64_t> ordinals,
                              const SampleReader& reader, int64_t max_rows,
                              const std::function<absl::Status(batch::Batch&, Rows&)>& each,
                              const std::stop_token& stop);

}  // namespace tidemill::loader
