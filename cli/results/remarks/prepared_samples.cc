#include "cli/results/remarks/prepared_samples.h"

#include <map>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

// By the index of the evaluation. Later events replace earlier ones.
std::map<int32_t, v1::EvaluationFinished> LastOfEach(const v1::GetRunResponse& run) {
  std::map<int32_t, v1::EvaluationFinished> last;
  for (const v1::RecordedEvent& recorded : run.events()) {
    if (!recorded.event().has_evaluation_finished()) continue;
    const v1::EvaluationFinished& finished = recorded.event().evaluation_finished();
    if (finished.has_num_prepared_here()) last[finished.evaluation()] = finished;
  }
  return last;
}

}  // namespace

std::string DescribePreparedSamples(const v1::GetRunResponse& run) {
  std::string text;
  for (const auto& [evaluation, finished] : LastOfEach(run)) {
    const int64_t at_workers = finished.num_prepared_at_workers();
    const int64_t all = at_workers + finished.num_prepared_here();
    std::vector<std::string> parts;
    if (finished.has_num_prepared_at_workers()) {
      parts.push_back(fmt::format("workers prepared {} of {} samples, the evaluator the others",
                                  WithThousands(at_workers), WithThousands(all)));
    }
    if (finished.num_found() > 0) {
      parts.push_back(fmt::format("{} of {} samples were found prepared",
                                  WithThousands(finished.num_found()), WithThousands(all)));
    }
    if (parts.empty()) continue;
    text += fmt::format("  evaluation {}: {}\n", evaluation + 1, fmt::join(parts, "; "));
  }
  return text;
}

nlohmann::ordered_json PreparedSamplesToJson(const v1::GetRunResponse& run) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [evaluation, finished] : LastOfEach(run)) {
    json.push_back({{"evaluation", evaluation + 1},
                    {"at_workers", finished.num_prepared_at_workers()},
                    {"at_evaluator", finished.num_prepared_here()},
                    {"found", finished.num_found()}});
  }
  return json;
}

}  // namespace tidemill::cli
