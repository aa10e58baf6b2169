#include "supervisor/statistics/detectors/stream_detector.h"

#include <type_traits>
#include <utility>

#include "supervisor/statistics/sealed_state.h"

namespace tidemill::supervisor::statistics {
namespace {

using Detectors = std::variant<Adwin, Ddm, Eddm, PageHinkley>;

// The detector of a config; beside it the state that it keeps.
template <typename Config>
struct DetectorOf;
template <>
struct DetectorOf<AdwinConfig> {
  using Type = Adwin;
};
template <>
struct DetectorOf<DdmConfig> {
  using Type = Ddm;
};
template <>
struct DetectorOf<EddmConfig> {
  using Type = Eddm;
};
template <>
struct DetectorOf<PageHinkleyConfig> {
  using Type = PageHinkley;
};

Detectors Make(const DetectorSpec& spec) {
  return std::visit(
      []<typename Config>(const Config& config) {
        return Detectors(typename DetectorOf<Config>::Type(config));
      },
      spec);
}

}  // namespace

bool CountsMistakes(const DetectorSpec& spec) {
  return std::holds_alternative<DdmConfig>(spec) || std::holds_alternative<EddmConfig>(spec);
}

StreamDetector::StreamDetector(const DetectorSpec& spec) : spec_(spec), detector_(Make(spec)) {}

DetectorSignal StreamDetector::Update(double value) {
  return std::visit(
      [&]<typename Detector>(Detector& detector) {
        if constexpr (std::is_same_v<Detector, Eddm>) return detector.Update(value >= 0.5);
        if constexpr (!std::is_same_v<Detector, Eddm>) return detector.Update(value);
      },
      detector_);
}

nlohmann::json StreamDetector::Seal() const {
  return std::visit([](const auto& detector) { return SealState(detector.state()); }, detector_);
}

absl::Status StreamDetector::Restore(const nlohmann::json& sealed) {
  return std::visit(
      [&]<typename Config>(const Config& config) -> absl::Status {
        using Detector = typename DetectorOf<Config>::Type;
        using State = std::remove_cvref_t<decltype(std::declval<Detector>().state())>;
        ASSIGN_OR_RETURN(State state, RestoreState<State>(sealed));
        detector_.template emplace<Detector>(config, std::move(state));
        return absl::OkStatus();
      },
      spec_);
}

}  // namespace tidemill::supervisor::statistics
