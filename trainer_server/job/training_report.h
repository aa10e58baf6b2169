// The reports of a training, while it runs and at its end.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/process/job_program.h"
#include "models/spec/model_spec.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"
#include "trainer_server/training/watchdog.h"

namespace tidemill::trainer_server {

class Course;
class Ranks;

// The most bytes of an error in a report, which must fit into one line of a pipe.
inline constexpr size_t kMaxErrorBytes = 1500;

// Sends a message to the server, as one line of JSON, with what the process has used so far.
void Send(process::Report& report, v1::WatchTrainingResponse message);

// Reports the progress of a training to the server. Its seconds count from the construction of this
// object. Thread-compatible.
class TrainingReport {
 public:
  // `report` must outlive this object.
  explicit TrainingReport(process::Report& report) : report_(report) {}

  // Ends the process when no progress is reported for the time that a batch of the file may take. A
  // network from a file may hang, and cannot be interrupted. The time for which it waits for other
  // ranks does not count; `ranks` may be nullptr.
  void Watch(const models::NetworkFile& file, const Ranks* ranks);
  void EndWatch() { watchdog_.reset(); }

  // The stages of the start, each called when it has ended: the training is opened; its batches are
  // asked for.
  void Opened() { start_.set_opening_seconds(Seconds()); }
  void Asked() { start_.set_asking_seconds(Seconds() - start_.opening_seconds()); }

  // An activity other than training; empty when there is none.
  void set_activity(std::string activity) { activity_ = std::move(activity); }

  // Tells the watchdog and, not too often, the server.
  void Progress(const Course& course);
  // The same, for a batch that was scored and not trained on.
  void Scored(const Course& course);

  // The process ends here and leaves its state: it reports at once how far it has come.
  void Left(const Course& course);

  // Returns the last message of a training that has ended with these weights.
  v1::WatchTrainingResponse Last(const Course& course, std::string_view weights) const;

 private:
  v1::WatchTrainingResponse Describe(const Course& course) const;
  // Since the construction of this object.
  double Seconds() const;
  // Called after the first step, which ends the start.
  void Started(const Course& course);

  process::Report& report_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point sent_;
  rpc::v1::TrainingStart start_;
  bool has_started_ = false;
  std::string activity_;
  std::optional<Watchdog> watchdog_;  // The last member: its thread uses the report.
};

}  // namespace tidemill::trainer_server
