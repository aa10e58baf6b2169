#include "trainer_server/downsampling/methods/score_method.h"

#include <utility>
#include <vector>

namespace tidemill::trainer_server {
namespace {

subsets::DrawMethod DrawMethodOf(ScoreSampling sampling) {
  switch (sampling) {
    case ScoreSampling::kPoisson:
      return subsets::DrawMethod::kPoisson;
    case ScoreSampling::kSystematic:
      return subsets::DrawMethod::kSystematic;
    case ScoreSampling::kPriority:
      break;
  }
  return subsets::DrawMethod::kPriority;
}

// The scores of some rows.
template <typename T>
std::vector<T> Taken(const std::vector<T>& numbers, std::span<const int64_t> rows) {
  std::vector<T> taken;
  taken.reserve(rows.size());
  for (const int64_t row : rows) taken.push_back(numbers[static_cast<size_t>(row)]);
  return taken;
}

// The choice among `rows` as one among all.
subsets::Choice Among(std::span<const int64_t> rows, subsets::Choice choice) {
  for (int64_t& row : choice.rows) row = rows[static_cast<size_t>(row)];
  return choice;
}

class Drawing final : public JudgingMethod {
 public:
  Drawing(const Drawn& spec, Judging judging)
      : JudgingMethod(std::move(judging)),
        method_(DrawMethodOf(spec.sampling)),
        smoothing_(spec.smoothing) {}

  subsets::Choice ChooseRows(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                             const RandomKey& random) const override {
    return Among(rows, subsets::DrawByScore(method_, Taken(seen.scores, rows), k, random,
                                            smoothing_, Taken(seen.ordinals, rows)));
  }

 private:
  const subsets::DrawMethod method_;
  const double smoothing_;
};

class Ranking final : public JudgingMethod {
 public:
  Ranking(Judging judging, subsets::Best best) : JudgingMethod(std::move(judging)), best_(best) {}

  subsets::Choice ChooseRows(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                             const RandomKey&) const override {
    return Among(rows, subsets::TopK(Taken(seen.scores, rows), k, best_));
  }

 private:
  const subsets::Best best_;
};

}  // namespace

Judging JudgingOf(const Scored& spec, std::optional<ScoreOf> score) {
  return {.question = {.score = score, .classes = spec.balance},
          .fraction = spec.fraction,
          .by_batch = spec.when == ScoreWhen::kBatchThenSample,
          .period = spec.period};
}

std::unique_ptr<const JudgingMethod> MakeDrawing(const Drawn& spec, Judging judging) {
  return std::make_unique<Drawing>(spec, std::move(judging));
}

std::unique_ptr<const JudgingMethod> MakeRanking(Judging judging, subsets::Best best) {
  return std::make_unique<Ranking>(std::move(judging), best);
}

}  // namespace tidemill::trainer_server
