// The parts of a training: its job, specs, samples and graph, read and opened.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "devices/owned_device.h"
#include "loader/batches/batch_stream.h"
#include "loader/training_set.h"
#include "models/training/training_spec.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "trainer_server/downsampling/downsampled_source.h"
#include "trainer_server/job/opened_job.h"
#include "trainer_server/job/prepared_batches.h"
#include "trainer_server/training/training_setup.h"
#include "transform/fitted_state.h"

namespace tidemill::trainer_server {

// The parts of one training. They do not change while it runs: a process that continues the
// training of another one opens the same parts. Thread-compatible. Must outlive the streams and
// setups that it gives.
class PreparedTraining {
 public:
  // Reads job.json of a folder and opens the parts that it names. Makes torch deterministic. With
  // `ranks`, which must then outlive the training, this is the part of one of them; nullptr for a
  // training in one process. Returns the errors of Open(), models::TorchDeviceOf() and the model
  // store. NOT_FOUND or DATA_LOSS when the fitted state is missing or damaged.
  static absl::StatusOr<std::unique_ptr<PreparedTraining>> Open(const std::string& folder,
                                                                devices::OwnedDevice device,
                                                                Ranks* ranks);

  PreparedTraining(const PreparedTraining&) = delete;
  PreparedTraining& operator=(const PreparedTraining&) = delete;

  const std::string& folder() const { return folder_; }
  const models::TrainingSpec& spec() const { return spec_; }
  // The model of the pipeline. In setup().model, files have paths on this machine.
  const models::ModelSpec& model() const { return model_; }
  const TrainingSetup& setup() const { return setup_; }
  // The device that this process has for itself.
  const devices::OwnedDevice& device() const { return device_; }
  const OpenedJob& opened() const { return opened_; }
  const transform::FittedState& fitted() const { return *fitted_; }
  const std::vector<std::string>& fit_warnings() const { return fit_warnings_; }
  // The samples that are trained on, without the samples that early stopping holds out.
  const loader::TrainingSet& trained() const { return *trained_; }
  // The downsampling method that serves the trigger. It may be `none`, and is never a schedule.
  const models::DownsamplingSpec& method() const { return method_; }

  // The number of threads with which the streams of the training prepared best; 0 when nothing was
  // tuned.
  int found_threads() const { return *found_threads_; }

  // What was decided about prepared samples, and what came of it; std::nullopt without a cache.
  // `work` is all that its batches took.
  std::optional<loader::CacheReport> cache_report(const loader::PathWork& work) const;

  // Returns the parts of a downsampled source. `progress` is called after each batch that was
  // scored. Requires a method other than `none`.
  DownsamplingSetup Downsampling(std::function<absl::Status()> progress) const;

  // Opens the batches of all epochs from batch `first_batch` on, for a training that does not
  // downsample. A rank gets its slice of each. All ranks call it together.
  absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenBatches(int64_t first_batch) const;

 private:
  PreparedTraining(std::string folder, devices::OwnedDevice device)
      : folder_(std::move(folder)), device_(std::move(device)) {}

  absl::Status ReadSpecs();
  void HoldOut();
  void ChooseMethod();
  absl::Status ReadFitted();
  absl::Status ReadNetwork();
  absl::Status OpenCache();
  absl::StatusOr<SampleTimes> FindTimes() const;
  int64_t ScoreBatch() const;
  // Opens a pass over a part of the set, or over chosen samples of it.
  absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenPass(
      SetPart part, const loader::BatchPlan& plan) const;
  // Leaves out samples with a target that the model cannot have, so that such a sample does not
  // fail the training.
  std::unique_ptr<loader::BatchSource> Learnable(std::unique_ptr<loader::BatchSource> source) const;
  // nullptr when the training shares nothing.
  std::shared_ptr<const loader::Sharing> SharingOf() const;
  loader::BatchParts PartsOf(std::shared_ptr<const loader::TrainingSet> set,
                             std::shared_ptr<loader::DecodedSamples> kept) const;
  // How this process makes batches. `found_threads` is shared by the streams of one purpose.
  loader::StreamOptions OptionsOf(std::shared_ptr<std::atomic<int>> found_threads) const;

  const std::string folder_;
  const devices::OwnedDevice device_;
  v1::TrainingJob job_;
  models::TrainingSpec spec_;
  models::ModelSpec model_;
  models::DownsamplingSpec method_;
  TrainingSetup setup_;
  OpenedJob opened_;
  // Shared with the streams over them; `held_out_` with early stopping only.
  std::shared_ptr<const loader::TrainingSet> trained_;
  std::shared_ptr<const loader::TrainingSet> held_out_;
  std::shared_ptr<const transform::FittedState> fitted_;
  std::vector<std::string> fit_warnings_;
  std::shared_ptr<loader::DecodedSamples> kept_;
  // Shared by the streams; absent with `kept_`.
  std::shared_ptr<loader::SampleCache> cache_;
  // Shared with the streams that change them: those of the training, and those of `held_out_`.
  std::shared_ptr<std::atomic<int>> found_threads_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> held_out_threads_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace tidemill::trainer_server
