// Scores: which samples a training keeps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/columns.hpp"
#include "tidemill/plugin/instance.hpp"

namespace tidemill::plugin {

// What a score is made of.
enum class ScoreColumn {
  kLosses = TIDEMILL_SCORE_LOSSES,
  kProbabilities = TIDEMILL_SCORE_PROBABILITIES,
  kEmbeddings = TIDEMILL_SCORE_EMBEDDINGS,
  kLabels = TIDEMILL_SCORE_LABELS,
  kEventTimes = TIDEMILL_SCORE_EVENT_TIMES,
  kAges = TIDEMILL_SCORE_AGES
};

enum class Keep {
  kGreatest = TIDEMILL_KEEP_GREATEST,
  kLeast = TIDEMILL_KEEP_LEAST,
  kInProportion = TIDEMILL_KEEP_IN_PROPORTION
};

// Samples of a training. A column that the score does not look at is not there: its function throws
// std::invalid_argument.
class ScoredRows : public Columns {
 public:
  explicit ScoredRows(const TidemillColumns& columns) : Columns(columns) {}

  std::span<const int64_t> keys() const { return NumbersOf<int64_t>("key").numbers; }
  std::span<const float> losses() const { return NumbersOf<float>("losses").numbers; }
  Rows<float> probabilities() const { return NumbersOf<float>("probabilities"); }
  Rows<float> embeddings() const { return NumbersOf<float>("embeddings"); }
  // For classes: their numbers.
  std::span<const int64_t> label_classes() const { return NumbersOf<int64_t>("labels").numbers; }
  Rows<double> label_values() const { return NumbersOf<double>("labels"); }
  // Microseconds since 1970, UTC.
  std::span<const int64_t> event_times() const { return NumbersOf<int64_t>("event_times").numbers; }
  // Seconds before the newest sample of the training set.
  std::span<const double> ages() const { return NumbersOf<double>("ages").numbers; }
};

class Score : public Instance {
 public:
  static constexpr const char* kKind = "score";
  // So that plug-ins need not name the namespace.
  using Column = plugin::ScoreColumn;
  using Keep = plugin::Keep;
  using Block = plugin::ScoredRows;

  virtual std::vector<Column> LooksAt() const = 0;
  virtual Keep Keeps() const { return Keep::kGreatest; }
  // A finite number for each row, not negative where samples are drawn in proportion to it. A row
  // has the same number whatever is beside it.
  virtual std::vector<double> Scores(const Block& block) const = 0;

  const void* Functions() final;

 private:
  static Score& Of(void* self) { return static_cast<Score&>(*static_cast<Instance*>(self)); }

  const TidemillScoreColumn* GiveLooksAt(size_t* count) noexcept {
    *count = 0;
    Attempt("LooksAt", [&] {
      looks_at_.clear();
      for (const Column column : LooksAt()) {
        looks_at_.push_back(static_cast<TidemillScoreColumn>(column));
      }
      *count = looks_at_.size();
    });
    return looks_at_.data();
  }

  int GiveScores(const TidemillColumns& block, double* scores, size_t count) noexcept {
    return Attempt("Scores", [&] {
      const std::vector<double> made = Scores(Block(block));
      if (made.size() != count) {
        throw std::length_error("it made " + std::to_string(made.size()) + " scores of " +
                                std::to_string(count) + " rows");
      }
      std::copy(made.begin(), made.end(), scores);
    });
  }

  TidemillScore functions_ = {};
  std::vector<TidemillScoreColumn> looks_at_;
};

inline const void* Score::Functions() {
  functions_ = {.size = sizeof(TidemillScore),
                .looks_at = [](void* self, size_t* count) { return Of(self).GiveLooksAt(count); },
                .keep =
                    [](void* self) {
                      auto keep = static_cast<TidemillScoreKeep>(0);
                      Of(self).Attempt("Keeps", [&] {
                        keep = static_cast<TidemillScoreKeep>(Of(self).Keeps());
                      });
                      return keep;
                    },
                .score = [](void* self, const TidemillColumns* block, double* scores,
                            size_t count) { return Of(self).GiveScores(*block, scores, count); }};
  return &functions_;
}

}  // namespace tidemill::plugin
