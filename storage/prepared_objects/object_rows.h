// The store of prepared rows that hosts share, in an object store.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/threads/worker_pool.h"
#include "prepared/shared_store.h"
#include "storage/filesystems/object_store_config.h"
#include "storage/prepared_objects/forgotten_keys.h"
#include "storage/prepared_objects/object_budget.h"
#include "storage/prepared_objects/row_objects.h"

namespace tidemill::storage {

struct ObjectRowsOptions {
  std::string url = {};  // s3://bucket/prefix
  int64_t bytes = 0;
  Duration keep_unused{};
  // The speed is remembered in this folder, unless it is empty.
  std::string speed_folder = {};
  bool takes_all = false;  // See SharedStore.
};

class ObjectRows final : public prepared::SharedStore {
 public:
  // Connects at the first use. Returns the errors of RowObjects::Open().
  static absl::StatusOr<std::unique_ptr<ObjectRows>> Open(const ObjectRowsOptions& options,
                                                          const ObjectStoreConfig& connection);

  std::unique_ptr<prepared::PreparedSamples> OpenPoint(
      const std::string& digest, const prepared::PointAbout& about,
      const prepared::RowColumns& columns) override;
  bool IsAskedFor(const std::string& digest) override { return budget_.IsAskedFor(digest); }
  int64_t BytesFor(std::span<const std::string> digests) override {
    return budget_.BytesFor(digests);
  }
  prepared::MediumSpeed speed() override ABSL_LOCKS_EXCLUDED(mutex_);
  bool takes_all() const override { return options_.takes_all; }

 private:
  ObjectRows(ObjectRowsOptions options, std::unique_ptr<RowObjects> objects);
  // Measures with an object of some MiB, which is removed again. UNAVAILABLE when the store is.
  absl::StatusOr<prepared::MediumSpeed> Measure();
  void MeasureOnce() ABSL_LOCKS_EXCLUDED(mutex_);
  // Where the speed is remembered; empty for nowhere.
  std::string SpeedPath() const;

  const ObjectRowsOptions options_;
  const std::unique_ptr<RowObjects> objects_;
  ObjectBudget budget_;
  ForgottenKeys forgotten_;
  Mutex mutex_;
  CondVar measured_;
  bool is_measuring_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<prepared::MediumSpeed> speed_ ABSL_GUARDED_BY(mutex_);
  WorkerPool readers_;  // The last member: its threads use all of the above.
};

}  // namespace tidemill::storage
