// Decides whether compression pays, from measurements of the data and the link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// A byte costs the time for its share of the link, and the time to compress it, which is taken from
// the cores that make batches. The policy uses the cheapest choice. Nothing is compressed before
// the speed of the link is known. To learn about the data, a part of the first batches and of every
// 20th batch is compressed. A change needs a gain of a tenth, so that noise does not cause it.
// Thread-compatible.
class CompressionPolicy {
 public:
  // `accepted` is what the consumer accepts. An empty list means that nothing is ever compressed. A
  // list of one means that it is always used.
  explicit CompressionPolicy(const std::vector<v1::Compression>& accepted);

  struct Plan {
    // COMPRESSION_UNSPECIFIED means none.
    v1::Compression use = v1::COMPRESSION_UNSPECIFIED;
    // The compression to try on a part of the batch. COMPRESSION_UNSPECIFIED means none.
    v1::Compression probe = v1::COMPRESSION_UNSPECIFIED;
  };
  // Returns the plan for the next batch, which has `bytes` bytes.
  Plan Next(int64_t bytes);

  // Records that `bytes` of a batch, or of a part of one, became `compressed_bytes` with that
  // compression.
  void Encoded(v1::Compression compression, int64_t bytes, int64_t compressed_bytes,
               double seconds);
  // Records that `bytes` were given to the link, which took `seconds`.
  void Written(int64_t bytes, double seconds);

  v1::Compression chosen() const { return chosen_; }

 private:
  // An exponentially weighted average.
  struct Average {
    void Add(double value);
    std::optional<double> value = {};
  };
  struct Candidate {
    v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
    Average ratio = {};             // Compressed bytes / uncompressed bytes.
    Average seconds_per_byte = {};  // Per uncompressed byte.
  };
  bool is_forced() const { return candidates_.size() == 1; }
  // Returns the seconds per uncompressed byte. std::nullopt while something is unknown.
  std::optional<double> CostOf(v1::Compression compression) const;
  void Decide();

  std::vector<Candidate> candidates_;
  Average link_seconds_per_byte_;
  int64_t num_batches_ = 0;
  size_t num_probes_ = 0;
  v1::Compression chosen_ = v1::COMPRESSION_UNSPECIFIED;
};

}  // namespace tidemill::preprocess
