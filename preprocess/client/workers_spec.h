// The part of a pipeline's `preprocess` section that says which processes prepare samples, and how
// samples reach the training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "preprocess/transport/link_options.h"
#include "transform/graph_spec.h"

namespace tidemill::preprocess {

enum class ShardBy { kFile, kKey };

struct Shards {
  static constexpr std::string_view kDoc =
      "Divides the training set once and for all. One worker reads each part, each batch is made "
      "from one part, and batches of all parts come in turn. For workers that are near to some of "
      "the files, or that keep them in a cache.";
  ShardBy by = ShardBy::kFile;
  int64_t count = 1;

  void Fields(auto&& field) {
    field("by", by,
          "`file`: samples of a file stay together, and there must be at least as many files as "
          "parts. `key`: neighbours stay together, and parts are equally large.");
    field("count", count, "Number of parts. At most this many workers can take part.",
          {.min = 1, .max = 1000, .required = true, .example = "4"});
  }
  friend bool operator==(const Shards&, const Shards&) = default;
};

struct WorkersSpec {
  static constexpr std::string_view kDoc =
      "The stack's preprocessing workers, on this host or others, prepare the samples, instead of "
      "the process that trains. A model is the same, bit by bit, with and without workers, and "
      "with any number of them. They also prepare the samples that early stopping holds out, and "
      "with `training.downsampling` those that a method looks at and those that it has chosen. "
      "Likewise those that models are measured on or asked about, 16,384 or more at once.";
  int64_t most = 8;
  Transport transport = Transport::kAuto;
  CompressionChoice compression = CompressionChoice::kAuto;
  config::ByteSize bytes_ahead{int64_t{64} << 20};
  bool training_helps = false;
  std::optional<Shards> shards = std::nullopt;

  void Fields(auto&& field) {
    field("most", most, "A training takes batches from at most this many workers.",
          {.min = 1, .max = 1000});
    field("transport", transport,
          "How batches come from a worker. `auto`: through shared memory from the same host, else "
          "by gRPC. `ring`: through shared memory, or by gRPC if that is not possible. `frames`: "
          "by gRPC.");
    field("compression", compression,
          "Compression of batches that come by gRPC. `auto`: where a measurement says that it is "
          "faster.");
    field("bytes_ahead", bytes_ahead,
          "Bytes of prepared batches that wait for the training, in its process and on the way.");
    field("training_helps", training_helps,
          "Whether the training prepares samples, too, while it waits for workers: with as many "
          "threads as it would have without workers. For workers that are fewer than the training "
          "could use. Half of `bytes_ahead` is for what it prepares.");
    field("shards", shards,
          "Divides the training set among the workers. Without it, any worker makes any batch, "
          "which is faster.");
  }
  void Check(config::Problems& problems) const {
    if (training_helps && shards) {
      problems.Add("training_helps", "cannot be used with shards, each of which one worker makes",
                   "leave out `training_helps`, or `shards`");
    }
    if (bytes_ahead.bytes < (int64_t{1} << 20)) {
      problems.Add("bytes_ahead", "must be at least 1MiB", "write 64MiB");
    }
  }
  friend bool operator==(const WorkersSpec&, const WorkersSpec&) = default;
};

// The section `preprocess` of a pipeline.
struct PreprocessSpec : transform::PreprocessSpec {
  std::optional<WorkersSpec> workers = std::nullopt;

  void Fields(auto&& field) {
    transform::PreprocessSpec::Fields(field);
    field("workers", workers,
          "Which processes prepare the samples. Without it, the training's own process does.");
  }
  // Returns `workers` as canonical YAML, as requests carry it; empty without workers.
  std::string WorkersText() const { return workers ? config::Print(*workers) : std::string(); }
  friend bool operator==(const PreprocessSpec&, const PreprocessSpec&) = default;
};

}  // namespace tidemill::preprocess

template <>
struct tidemill::config::EnumNames<tidemill::preprocess::ShardBy> {
  static constexpr std::pair<tidemill::preprocess::ShardBy, std::string_view> kNames[] = {
      {tidemill::preprocess::ShardBy::kFile, "file"}, {tidemill::preprocess::ShardBy::kKey, "key"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::preprocess::Transport> {
  static constexpr std::pair<preprocess::Transport, std::string_view> kNames[] = {
      {preprocess::Transport::kAuto, "auto"},
      {preprocess::Transport::kRing, "ring"},
      {preprocess::Transport::kFrames, "frames"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::preprocess::CompressionChoice> {
  static constexpr std::pair<preprocess::CompressionChoice, std::string_view> kNames[] = {
      {preprocess::CompressionChoice::kAuto, "auto"},
      {preprocess::CompressionChoice::kNone, "none"},
      {preprocess::CompressionChoice::kLz4, "lz4"},
      {preprocess::CompressionChoice::kZstd, "zstd"}};
};
