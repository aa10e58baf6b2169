#include "trainer_server/downsampling/spec/plugin_score.h"

#include <utility>

#include "trainer_server/downsampling/methods/score_method.h"
#include "trainer_server/downsampling/spec/plugin_scorer.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const PluginScore& spec) {
  auto scorer = std::make_shared<PluginScorer>(spec);
  const KeepBy keep = scorer->keep();
  Judging judging = JudgingOf(spec, std::nullopt);
  judging.question.embeddings = scorer->looks_at().embeddings;
  judging.question.scorer = std::move(scorer);
  if (keep == KeepBy::kInProportion) return MakeDrawing(spec, std::move(judging));
  return MakeRanking(std::move(judging),
                     keep == KeepBy::kLeast ? subsets::Best::kSmallest : subsets::Best::kGreatest);
}

}  // namespace tidemill::trainer_server
