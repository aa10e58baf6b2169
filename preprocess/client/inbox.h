// What a consumer has received and not handed on yet.
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

// Takes messages in and hands on batches. Thread-compatible.
class Inbox {
 public:
  // To whom the credit for a message is given back once its rows are handed on.
  struct Origin {
    int64_t connection = 0;
    int64_t bytes = 0;
  };
  struct Taken {
    loader::TrainingBatch batch = {};
    // Of the messages that have nothing more in here.
    std::vector<Origin> origins = {};
  };

  virtual ~Inbox() = default;

  // A message has come; without origin: it was made here. Returns false when nothing of it is kept.
  virtual bool Add(BatchMessage message, const std::optional<Origin>& origin) = 0;
  // Batches [from, to) will not come.
  virtual void GiveUp(int64_t from, int64_t to) = 0;
  // The next to hand on, if it is there.
  virtual absl::StatusOr<std::optional<Taken>> Take() = 0;

  // Everything is handed on or given up.
  virtual bool ended() const = 0;
  // All batches before it are handed on or given up, and those of DoneBeyond(), too.
  virtual int64_t done_before() const = 0;
  virtual std::vector<int64_t> DoneBeyond() const = 0;
  // The batch that workers are asked for before all others.
  virtual int64_t wanted() const = 0;

  virtual int64_t num_dropped() const = 0;
  virtual int64_t num_given_up() const = 0;
};

// Hands on each batch as it was made: see Arrivals.
class WholeBatches final : public Inbox {
 public:
  // Epoch and index of a batch by its number.
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
  std::map<int64_t, Origin> origins_;  // By number of a waiting batch.
};

}  // namespace tidemill::preprocess
