// What a reader in Python asks for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "models/training/last_batch.h"
#include "preprocess/client/workers_spec.h"

namespace tidemill::python {

// Which process makes the batches.
enum class Through { kHere, kWorkers };

// The contents of the PEM files by which servers are verified. Empty without TLS.
struct PeerTls {
  std::string ca = {};
  std::string certificate = {};
  std::string key = {};
  // Certificates name services, not hosts.
  bool by_service = false;

  void Fields(auto&& field) {
    field("ca", ca, "The authority.");
    field("certificate", certificate, "The reader's certificate.");
    field("key", key, "Its key.", {.secret = true});
    field("by_service", by_service, "Whether certificates name services.");
  }
};

// A pass over the training set of a trigger. Absent values are those of the run's pipeline.
struct ReadRequest {
  static constexpr std::string_view kDoc = "A pass over the training set of a trigger.";
  // By service: "unix:/path" or "host:port".
  std::map<std::string, std::string> endpoints = {};
  std::string token = {};
  // The token of a service, with which batches come from workers. Empty where the reader has none.
  std::string worker_token = {};
  std::optional<PeerTls> tls = std::nullopt;
  int64_t run_id = 0;
  int64_t trigger = 0;
  std::optional<int64_t> batch_size = std::nullopt;
  std::optional<int64_t> epochs = std::nullopt;
  std::optional<int64_t> seed = std::nullopt;
  std::optional<bool> shuffle = std::nullopt;
  std::optional<models::LastBatch> last_batch = std::nullopt;
  int64_t rank = 0;
  int64_t num_ranks = 1;
  // Counted through all epochs.
  int64_t first_batch = 0;
  // Only every stride-th batch is read, from the first on.
  int64_t stride = 1;
  Through through = Through::kHere;
  // Ranks that read from workers name the same group.
  std::string group = {};
  std::optional<preprocess::Transport> transport = std::nullopt;
  int64_t num_threads = 2;
  config::ByteSize bytes_ahead{int64_t{64} << 20};

  void Fields(auto&& field) {
    field("endpoints", endpoints, "Where the services are.", {.required = true});
    field("token", token, "What the services admit.", {.required = true, .secret = true});
    field("worker_token", worker_token, "What the dispatcher and the workers admit.",
          {.secret = true});
    field("tls", tls, "Certificates.");
    field("run_id", run_id, "The run.", {.min = 1, .required = true});
    field("trigger", trigger, "The number of the trigger in its run.",
          {.min = 1, .required = true});
    field("batch_size", batch_size, "Samples in a batch, over all ranks.",
          {.min = 1, .max = 1'048'576});
    field("epochs", epochs, "Passes over the training set.", {.min = 1, .max = 1e6});
    field("seed", seed, "Seed of the order and of random ops.", {.min = 0});
    field("shuffle", shuffle, "Whether each epoch has another order.");
    field("last_batch", last_batch, "What to do with the last batch of an epoch.");
    field("rank", rank, "Which part of each batch to read.", {.min = 0});
    field("num_ranks", num_ranks, "How many readers share each batch.", {.min = 1, .max = 4096});
    field("first_batch", first_batch, "The number of the first batch to read.", {.min = 0});
    field("stride", stride, "Which batches to read after the first.", {.min = 1, .max = 1024});
    field("through", through, "Which process makes the batches.");
    field("group", group, "Names the readers that share each batch.", {.max = 200});
    field("transport", transport, "How batches come from workers.");
    field("num_threads", num_threads, "Threads that make batches.", {.min = 1, .max = 1024});
    field("bytes_ahead", bytes_ahead, "Batches that are made ahead.", {.min = 1 << 20});
  }
  void Check(config::Problems& problems) const {
    if (rank >= num_ranks) problems.Add("rank", "must be below num_ranks", "count ranks from 0");
    if (through == Through::kWorkers && worker_token.empty()) {
      problems.Add("worker_token", "is missing: workers serve services and their jobs alone",
                   "make the batches in this process, or give the token file a token of the role "
                   "service");
    }
    if (through == Through::kWorkers && stride > 1) {
      problems.Add("stride", "is not for batches of workers, which need no processes here",
                   "use one process of the DataLoader, or make the batches here");
    }
    if (through == Through::kWorkers && num_ranks > 1 && group.empty()) {
      problems.Add("group", "is missing: ranks read one job of the workers",
                   "give all ranks of this pass the same new name");
    }
  }
};

}  // namespace tidemill::python

template <>
struct tidemill::config::EnumNames<tidemill::python::Through> {
  static constexpr std::pair<tidemill::python::Through, std::string_view> kNames[] = {
      {tidemill::python::Through::kHere, "here"}, {tidemill::python::Through::kWorkers, "workers"}};
};
