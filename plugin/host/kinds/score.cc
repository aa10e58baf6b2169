#include "plugin/host/kinds/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "plugin/host/calls/answer_columns.h"
#include "plugin/host/calls/contract.h"
#include "plugin/host/calls/json_fields.h"
#include "plugin/host/calls/request_columns.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

constexpr const char* kColumns[] = {"",       "losses",      "probabilities", "embeddings",
                                    "labels", "event_times", "ages"};
constexpr const char* kKeep[] = {"", "greatest", "least", "in_proportion"};

class ScoreKind : public Kind {
 public:
  ScoreKind(const void* functions, Instance& instance, const Memories& memories)
      : functions_(Known<TidemillScore>(functions)),
        instance_(instance),
        requests_(memories.requests),
        answer_(memories.answers) {}

  absl::StatusOr<json> Created(const json& /*request*/) override {
    const TidemillScoreColumn* first = nullptr;
    size_t count = 0;
    auto keep = static_cast<TidemillScoreKeep>(0);
    RETURN_IF_ERROR(instance_.Call("looks_at", [&] {
      first = functions_.looks_at(instance_.self(), &count);
      return 0;
    }));
    json looks_at = json::array();
    for (size_t i = 0; first != nullptr && i < count; ++i) {
      if (first[i] < TIDEMILL_SCORE_LOSSES || first[i] > TIDEMILL_SCORE_AGES) {
        return InvalidArgument("looks_at: there is no column with the number {}",
                               static_cast<int>(first[i]));
      }
      looks_at.push_back(kColumns[first[i]]);
    }
    RETURN_IF_ERROR(instance_.Call("keep", [&] {
      keep = functions_.keep(instance_.self());
      return 0;
    }));
    if (keep < TIDEMILL_KEEP_GREATEST || keep > TIDEMILL_KEEP_IN_PROPORTION) {
      return InvalidArgument("keep: {} is not greatest, least or in proportion",
                             static_cast<int>(keep));
    }
    is_drawn_ = keep == TIDEMILL_KEEP_IN_PROPORTION;
    return json{{"looks_at", std::move(looks_at)}, {"keep", kKeep[keep]}};
  }

  absl::StatusOr<json> Call(std::string_view call, const json& request) override {
    if (call == "score") return Score(request);
    return InvalidArgument("a score has no call {}", call);
  }

 private:
  absl::StatusOr<json> Score(const json& request) {
    ASSIGN_OR_RETURN(const auto columns, RequestColumns::Read(request, requests_));
    answer_.Begin(columns->view().array->length);
    ASSIGN_OR_RETURN(const std::span<double> scores, answer_.Add<double>("score"));
    // A place that a plug-in does not write is not a score.
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    RETURN_IF_ERROR(instance_.Call("score", [&] {
      return functions_.score(instance_.self(), &columns->view(), scores.data(), scores.size());
    }));
    for (size_t row = 0; row < scores.size(); ++row) {
      if (!std::isfinite(scores[row])) {
        return CheckFinite(fmt::format("the score of row {}", row), scores[row]);
      }
      if (!is_drawn_ || scores[row] >= 0) continue;
      return InvalidArgument(
          "the score of row {} is {}, and samples are not drawn in proportion to what is negative",
          row, scores[row]);
    }
    return answer_.ToJson();
  }

  const TidemillScore functions_;
  Instance& instance_;
  const Memory& requests_;
  AnswerColumns answer_;
  bool is_drawn_ = false;
};

}  // namespace

absl::Status CheckScore(const void* functions) {
  const auto known = Known<TidemillScore>(functions);
  if (known.looks_at != nullptr && known.keep != nullptr && known.score != nullptr) {
    return absl::OkStatus();
  }
  return InvalidArgument("it needs the functions looks_at, keep and score");
}

std::unique_ptr<Kind> MakeScore(const void* functions, Instance& instance,
                                const Memories& memories) {
  return std::make_unique<ScoreKind>(functions, instance, memories);
}

}  // namespace tidemill::plugin::host
