// Decides whether compressing pays, from what it was told about the data and the link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// A byte costs the time that its share of the link takes, and the time to compress it, which is
// taken from the cores that make batches; what costs least is used. Nothing is compressed before
// the link's speed is known. Every 20th batch, and the first ones, part of it is compressed to
// learn of the data; a change of mind takes a gain of a tenth, so that noise does not cause any.
// Thread-compatible.
class CompressionPolicy {
 public:
  // `accepted` by the consumer: none means never; one, that it is always used.
  explicit CompressionPolicy(const std::vector<v1::Compression>& accepted);

  struct Plan {
    // COMPRESSION_UNSPECIFIED: none.
    v1::Compression use = v1::COMPRESSION_UNSPECIFIED;
    // To be tried on part of the batch, COMPRESSION_UNSPECIFIED for none.
    v1::Compression probe = v1::COMPRESSION_UNSPECIFIED;
  };
  // For the next batch, of so many bytes.
  Plan Next(int64_t bytes);

  // So many bytes, or part of a batch, became so many by that compression.
  void Encoded(v1::Compression compression, int64_t bytes, int64_t compressed_bytes,
               double seconds);
  // So many bytes were given to the link, which took that long.
  void Written(int64_t bytes, double seconds);

  v1::Compression chosen() const { return chosen_; }

 private:
  // Moves a known number by part of the way to a new one.
  struct Average {
    void Add(double value);
    std::optional<double> value = {};
  };
  struct Candidate {
    v1::Compression compression = v1::COMPRESSION_UNSPECIFIED;
    Average ratio = {};             // Compressed to uncompressed bytes.
    Average seconds_per_byte = {};  // Uncompressed ones.
  };
  bool is_forced() const { return candidates_.size() == 1; }
  // Seconds for an uncompressed byte; std::nullopt while something is unknown.
  std::optional<double> CostOf(v1::Compression compression) const;
  void Decide();

  std::vector<Candidate> candidates_;
  Average link_seconds_per_byte_;
  int64_t num_batches_ = 0;
  size_t num_probes_ = 0;
  v1::Compression chosen_ = v1::COMPRESSION_UNSPECIFIED;
};

}  // namespace tidemill::preprocess
