// Trigger policies: when to train.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/columns.hpp"
#include "tidemill/plugin/instance.hpp"

namespace tidemill::plugin {

enum class EvidenceKind {
  kSamples = TIDEMILL_SAMPLES,
  kErrors = TIDEMILL_ERRORS,
  kPredictions = TIDEMILL_PREDICTIONS,
  kEmbeddings = TIDEMILL_EMBEDDINGS,
  kLabels = TIDEMILL_LABELS,
  kColumns = TIDEMILL_RECORD_COLUMNS
};

enum class Since {
  kDecision = TIDEMILL_DECISION,
  kTraining = TIDEMILL_TRAINING,
  kBeginning = TIDEMILL_BEGINNING
};

// The evidence that a trigger reads at its decisions; see TidemillEvidence.
struct Evidence {
  std::string name;
  EvidenceKind kind = EvidenceKind::kErrors;
  Since since = Since::kDecision;
  // The number of last rows; 0 for all.
  int64_t newest = 0;
  // The largest number, drawn by their keys; 0 for all.
  int64_t most_rows = 0;
  // For kColumns.
  std::vector<std::string> columns = {};
};

// Where a trigger decides: one of the three.
struct Points {
  int64_t samples = 0;
  double seconds = 0;
  std::string calendar = {};
};
inline Points EverySamples(int64_t samples) { return {.samples = samples}; }
inline Points EverySeconds(double seconds) { return {.seconds = seconds}; }
// "day", "week", "month" or "year".
inline Points EveryCalendar(std::string period) { return {.calendar = std::move(period)}; }

// Rows that a trigger looks at.
class Table : public Columns {
 public:
  explicit Table(const TidemillTable& table) : Columns(table.columns), missing_(table.missing) {}

  // The numbers, row after row, and how many a row has. Not for kSamples.
  std::span<const double> values() const { return NumbersOf<double>("values").numbers; }
  size_t width() const { return NumbersOf<double>("values").width; }
  std::span<const double> row(size_t index) const { return NumbersOf<double>("values")[index]; }
  // The samples of the rows. Two tables may have other samples: those without a label have no
  // error.
  std::span<const int64_t> keys() const { return NumbersOf<int64_t>("key").numbers; }
  // For EvidenceKind::kSamples: microseconds since 1970, UTC.
  std::span<const int64_t> event_times() const { return NumbersOf<int64_t>("event_time").numbers; }
  // Samples that could not be looked at.
  int64_t missing() const { return missing_; }

 private:
  int64_t missing_;
};

// A decision to make.
class Moment {
 public:
  explicit Moment(const TidemillMoment& moment)
      : at(moment.at), num_new(moment.num_new), has_model(moment.has_model != 0), moment_(moment) {}

  TidemillCut at;
  // Samples since the last training.
  int64_t num_new;
  bool has_model;

  // By the name that LooksAt() gave it. Throws std::invalid_argument for another name.
  Table table(std::string_view name) const {
    const auto* place = reinterpret_cast<const std::byte*>(moment_.tables);
    for (size_t i = 0; i < moment_.num_tables; ++i) {
      // A host of a later contract has longer ones.
      const auto& found = *reinterpret_cast<const TidemillTable*>(place);
      if (name == found.name) return Table(found);
      place += found.size;
    }
    throw std::invalid_argument("LooksAt() names no " + std::string(name));
  }

 private:
  const TidemillMoment& moment_;
};

// Numbers by their names: what a decision rests on.
class Observed {
 public:
  Observed() = default;
  Observed(std::initializer_list<std::pair<std::string, double>> numbers) : numbers_(numbers) {}

  void Set(std::string name, double value) { numbers_.emplace_back(std::move(name), value); }
  std::optional<double> Find(std::string_view name) const {
    for (const auto& [known, value] : numbers_) {
      if (known == name) return value;
    }
    return std::nullopt;
  }
  // Throws std::invalid_argument where it was not observed.
  double at(std::string_view name) const {
    if (const std::optional<double> value = Find(name)) return *value;
    throw std::invalid_argument("no " + std::string(name) + " was observed");
  }
  const std::vector<std::pair<std::string, double>>& numbers() const { return numbers_; }

 private:
  std::vector<std::pair<std::string, double>> numbers_;
};

struct Comparison {
  std::string quantity;
  double value = 0;
  double threshold = 0;
  std::string unit = {};
};

struct Verdict {
  bool fired = false;
  // A sentence.
  std::string because = {};
  std::optional<Comparison> comparison = std::nullopt;
};

class Trigger : public Instance {
 public:
  static constexpr const char* kKind = "trigger";
  using Points = plugin::Points;
  using Evidence = plugin::Evidence;
  using EvidenceKind = plugin::EvidenceKind;
  using Since = plugin::Since;
  using Moment = plugin::Moment;
  using Table = plugin::Table;
  using Observed = plugin::Observed;
  using Comparison = plugin::Comparison;
  using Verdict = plugin::Verdict;
  static Points EverySamples(int64_t samples) { return plugin::EverySamples(samples); }
  static Points EverySeconds(double seconds) { return plugin::EverySeconds(seconds); }
  static Points EveryCalendar(std::string period) {
    return plugin::EveryCalendar(std::move(period));
  }

  virtual Points DecidesAt() const = 0;
  virtual std::vector<Evidence> LooksAt() const { return {}; }

  // What came since the last decision, in its order, before Observe().
  virtual void Trained(const TidemillCut& /*at*/) {}
  virtual void Cost(int64_t /*num_samples*/, double /*seconds*/) {}
  virtual void NoModel() {}

  // Looks, and may remember.
  virtual Observed Observe(const Moment& moment) = 0;
  // A function of the settings and of what was observed: it is asked again when decisions are
  // explained or replayed.
  virtual Verdict Judge(const Observed& observed) const = 0;

  const void* Functions() final;

 private:
  static Trigger& Of(void* self) { return static_cast<Trigger&>(*static_cast<Instance*>(self)); }

  int GivePoints(TidemillPoints& points) noexcept {
    return Attempt("DecidesAt", [&] {
      points_ = DecidesAt();
      points.samples = points_.samples;
      points.seconds = points_.seconds;
      points.calendar = points_.calendar.empty() ? nullptr : points_.calendar.c_str();
    });
  }

  const TidemillEvidence* GiveEvidence(size_t& count) noexcept {
    const int failed = Attempt("LooksAt", [&] {
      evidence_ = LooksAt();
      given_evidence_.clear();
      columns_.assign(evidence_.size(), {});
      for (size_t i = 0; i < evidence_.size(); ++i)
        given_evidence_.push_back(Given(evidence_[i], columns_[i]));
    });
    count = failed != 0 ? 0 : given_evidence_.size();
    return failed != 0 ? nullptr : given_evidence_.data();
  }

  static TidemillEvidence Given(const Evidence& evidence, std::vector<const char*>& columns) {
    for (const std::string& column : evidence.columns) columns.push_back(column.c_str());
    columns.push_back(nullptr);
    return {.size = sizeof(TidemillEvidence),
            .name = evidence.name.c_str(),
            .kind = static_cast<TidemillEvidenceKind>(evidence.kind),
            .since = static_cast<TidemillSince>(evidence.since),
            .newest = evidence.newest,
            .most_rows = evidence.most_rows,
            .columns = evidence.columns.empty() ? nullptr : columns.data()};
  }

  int GiveObserved(const TidemillMoment& moment, const TidemillNumber** observed,
                   size_t* count) noexcept {
    return Attempt("Observe", [&] {
      observed_ = Observe(Moment(moment));
      given_observed_.clear();
      for (const auto& [name, value] : observed_.numbers())
        given_observed_.push_back({name.c_str(), value});
      *observed = given_observed_.data();
      *count = given_observed_.size();
    });
  }

  int GiveVerdict(std::span<const TidemillNumber> numbers, TidemillVerdict& verdict) noexcept {
    return Attempt("Judge", [&] {
      Observed observed;
      for (const TidemillNumber& number : numbers) observed.Set(number.name, number.value);
      verdict_ = Judge(observed);
      verdict.fired = verdict_.fired ? 1 : 0;
      verdict.because = verdict_.because.c_str();
      if (!verdict_.comparison.has_value()) return;
      verdict.quantity = verdict_.comparison->quantity.c_str();
      verdict.value = verdict_.comparison->value;
      verdict.threshold = verdict_.comparison->threshold;
      verdict.unit = verdict_.comparison->unit.c_str();
    });
  }

  // What was given last, until the next call.
  Points points_;
  std::vector<Evidence> evidence_;
  std::vector<std::vector<const char*>> columns_;
  std::vector<TidemillEvidence> given_evidence_;
  Observed observed_;
  std::vector<TidemillNumber> given_observed_;
  Verdict verdict_;
};

inline const void* Trigger::Functions() {
  static constexpr TidemillTrigger kFunctions = {
      .size = sizeof(TidemillTrigger),
      .points = [](void* self, TidemillPoints* points) { return Of(self).GivePoints(*points); },
      .looks_at = [](void* self, size_t* count) { return Of(self).GiveEvidence(*count); },
      .trained =
          [](void* self, const TidemillCut* at) {
            return Of(self).Attempt("Trained", [&] { Of(self).Trained(*at); });
          },
      .cost =
          [](void* self, int64_t num_samples, double seconds) {
            return Of(self).Attempt("Cost", [&] { Of(self).Cost(num_samples, seconds); });
          },
      .no_model =
          [](void* self) { return Of(self).Attempt("NoModel", [&] { Of(self).NoModel(); }); },
      .observe = [](void* self, const TidemillMoment* moment, const TidemillNumber** observed,
                    size_t* count) { return Of(self).GiveObserved(*moment, observed, count); },
      .judge =
          [](void* self, const TidemillNumber* observed, size_t count, TidemillVerdict* verdict) {
            return Of(self).GiveVerdict({observed, count}, *verdict);
          }};
  return &kFunctions;
}

}  // namespace tidemill::plugin
