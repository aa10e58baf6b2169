// Holds messages that a consumer has received and not delivered yet.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"
#include "preprocess/client/arrivals.h"
#include "preprocess/transport/batch_message.h"

namespace tidemill::preprocess {

// Takes messages and delivers batches. Thread-compatible.
class Inbox {
 public:
  // The connection that gets the credit for a message back once its rows are delivered.
  struct Origin {
    int64_t connection = 0;
    int64_t bytes = 0;
  };
  struct Taken {
    loader::TrainingBatch batch = {};
    // The origins of the messages that are completely delivered.
    std::vector<Origin> origins = {};
  };

  virtual ~Inbox() = default;

  // Adds a message that has arrived. Without an origin, it was made in this process. Returns false
  // when the whole message is dropped.
  virtual bool Add(BatchMessage message, const std::optional<Origin>& origin) = 0;
  // Gives up the batches [from, to), which will not arrive.
  virtual void GiveUp(int64_t from, int64_t to) = 0;
  // Returns the next batch to deliver, if there is one.
  virtual absl::StatusOr<std::optional<Taken>> Take() = 0;

  // Whether everything is delivered or given up.
  virtual bool ended() const = 0;
  // All batches before this one, and the batches of DoneBeyond(), are delivered or given up.
  virtual int64_t done_before() const = 0;
  virtual std::vector<int64_t> DoneBeyond() const = 0;
  // Returns the batch that workers should send before all others.
  virtual int64_t wanted() const = 0;

  virtual int64_t num_dropped() const = 0;
  virtual int64_t num_given_up() const = 0;
};

// Delivers each batch as it was made; see Arrivals.
class WholeBatches final : public Inbox {
 public:
  // Returns epoch and index of a batch by its number.
  using Place = std::function<loader::TrainingBatch(int64_t number)>;
  WholeBatches(Arrivals arrivals, Place place)
      : arrivals_(std::move(arrivals)), place_(std::move(place)) {}

  bool Add(BatchMessage message, const std::optional<Origin>& origin) override;
  void GiveUp(int64_t from, int64_t to) override { arrivals_.GiveUp(from, to); }
  absl::StatusOr<std::optional<Taken>> Take() override;
  bool ended() const override { return arrivals_.ended(); }
  int64_t done_before() const override { return arrivals_.done_before(); }
  std::vector<int64_t> DoneBeyond() const override { return arrivals_.DoneBeyond(); }
  int64_t wanted() const override { return arrivals_.done_before(); }
  int64_t num_dropped() const override { return arrivals_.num_dropped(); }
  int64_t num_given_up() const override { return arrivals_.num_given_up(); }

 private:
  Arrivals arrivals_;
  const Place place_;
  std::map<int64_t, Origin> origins_;  // By the number of a waiting batch.
};

}  // namespace tidemill::preprocess
