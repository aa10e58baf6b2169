// A drift detector, as a pipeline names it: `{type: adwin, delta: 0.002}`.
//
//   values --Update()--> kStable | kWarning | kDrift
//     1, 0, 0, 1 ...         the state of a detector is sealed between any two values
//
// To add one, write a header and a source beside this one, and its line in detector.cc. The header
// has the settings, with
//   static constexpr std::string_view kType, kDoc;
//   static constexpr bool kCountsMistakes;
//   std::vector<std::pair<std::string_view, int64_t>> NumbersOfValues() const;
//   std::vector<config::Remark> FindSilence() const;  // Where some settings are useless.
// the state (sealed_state.h), and the class, made of both. The source says what runs:
//   std::unique_ptr<StreamDetector> StartOf(const DdmConfig& config) {
//     return std::make_unique<SealedDetector<Ddm, DdmConfig>>(config);
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "config/choice.h"
#include "config/config.h"
#include "config/remark.h"
#include "supervisor/statistics/detectors/detector_signal.h"
#include "supervisor/statistics/sealed_state.h"

namespace tidemill::supervisor::statistics {

// A detector on its way through a stream. Thread-compatible.
class StreamDetector {
 public:
  virtual ~StreamDetector() = default;

  // Takes the next value: 1 when the model erred and 0 otherwise. ADWIN and Page-Hinkley take any
  // finite number. EDDM takes 0.5 and more as an error.
  virtual DetectorSignal Update(double value) = 0;

  virtual nlohmann::json Seal() const = 0;
  // Continues from a sealed state of a detector with the same settings. DATA_LOSS for any other
  // state; the detector is unchanged then.
  virtual absl::Status Restore(const nlohmann::json& sealed) = 0;
};

// A detector and its settings. Thread-safe.
class Detector : public config::Part<Detector> {
 public:
  // Lists every detector.
  static std::span<const config::Alternative<Detector>> Alternatives();

  // Whether it takes only mistakes, 0 or 1, and no other numbers.
  virtual bool CountsMistakes() const = 0;
  // The settings that are numbers of values, by name. In a shorter stream it signals nothing.
  virtual std::vector<std::pair<std::string_view, int64_t>> NumbersOfValues() const = 0;
  // Errors for settings with which it never signals drift. Paths begin at the detector.
  virtual std::vector<config::Remark> FindSilence() const = 0;

  // Starts at the beginning of a stream.
  virtual std::unique_ptr<StreamDetector> Start() const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Detector& other) const = 0;
};

using DetectorSpec = config::Choice<Detector>;

template <typename Spec>
class DetectorOf final : public config::PartOf<DetectorOf<Spec>, Detector, Spec> {
 public:
  bool CountsMistakes() const override { return Spec::kCountsMistakes; }
  std::vector<std::pair<std::string_view, int64_t>> NumbersOfValues() const override {
    return this->spec_.NumbersOfValues();
  }
  std::vector<config::Remark> FindSilence() const override {
    if constexpr (requires { this->spec_.FindSilence(); }) return this->spec_.FindSilence();
    return {};
  }
  std::unique_ptr<StreamDetector> Start() const override { return StartOf(this->spec_); }
  bool Equals(const Detector& other) const override {
    return this->spec_ == static_cast<const DetectorOf&>(other).spec_;
  }
};

// Runs `Running`, a class that is made of its settings and its state.
template <typename Running, typename Config>
class SealedDetector final : public StreamDetector {
 public:
  explicit SealedDetector(const Config& config) : config_(config), running_(config) {}

  DetectorSignal Update(double value) override { return running_->Update(value); }
  nlohmann::json Seal() const override { return SealState(running_->state()); }
  absl::Status Restore(const nlohmann::json& sealed) override {
    using State = std::remove_cvref_t<decltype(running_->state())>;
    ASSIGN_OR_RETURN(State state, RestoreState<State>(sealed));
    running_.emplace(config_, std::move(state));
    return absl::OkStatus();
  }

 private:
  const Config config_;
  std::optional<Running> running_;  // Never absent.
};

}  // namespace tidemill::supervisor::statistics

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::supervisor::statistics::DetectorSpec);
