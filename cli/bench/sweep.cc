#include "cli/bench/sweep.h"

#include <algorithm>
#include <span>

#include "nlohmann/json.hpp"

#include "cli/bench/pipeline_variant.h"
#include "cli/results/left_out.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

// Every choice of one candidate for each word.
std::vector<std::map<std::string, std::string>> Settings(
    const std::map<std::string, config::OpenValue>& tune) {
  std::vector<std::map<std::string, std::string>> settings = {{}};
  for (const auto& [word, values] : tune) {
    std::vector<std::map<std::string, std::string>> longer;
    for (const auto& setting : settings) {
      for (const auto& value : values.scalars) {
        longer.push_back(setting);
        longer.back()[word] = value.text;
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

PolicyCandidate Candidate(const SweptPolicy& policy, std::optional<double> price,
                          const std::map<std::string, std::string>& setting) {
  PolicyCandidate candidate{.policy = policy.name, .price = price, .trigger = policy.trigger};
  if (price) candidate.trigger = WithWord(candidate.trigger, "PRICE", fmt::format("{}", *price));
  for (const auto& [word, value] : setting) {
    candidate.trigger = WithWord(candidate.trigger, word, value);
    candidate.setting += fmt::format("{}{}={}", candidate.setting.empty() ? "" : ", ", word, value);
  }
  return candidate;
}

absl::StatusOr<v1::WatchBacktestResponse::Final> Backtest(
    const Session& session, const std::string& pipeline, int64_t run, const SweepSpec& sweep,
    std::span<const PolicyCandidate> candidates) {
  v1::WatchBacktestRequest request;
  request.set_pipeline_name(pipeline);
  request.set_run_id(run);
  request.set_measure(sweep.measure);
  request.set_asks_models(true);
  for (size_t i = 0; i < candidates.size(); ++i) {
    v1::WatchBacktestRequest::Policy& policy = *request.add_policies();
    policy.set_name(fmt::format("p{}", i));
    policy.set_text(candidates[i].trigger);
  }
  const auto ignore = [](const v1::WatchBacktestResponse::Progress&) {};
  ASSIGN_OR_RETURN(v1::WatchBacktestResponse::Final final,
                   session.Follow(&supervisor::SupervisorClient::WatchBacktest, request, ignore));
  if (final.not_taken().num_files() == 0) return final;
  return FailedPrecondition("{}", DescribeNotTaken(final.not_taken()));
}

ordered_json Described(const PolicyCandidate& candidate) {
  return {{"policy", candidate.policy},
          {"price", candidate.price ? ordered_json(*candidate.price) : ordered_json(nullptr)},
          {"setting", candidate.setting}};
}

void Keep(const v1::WatchBacktestResponse::Final& final,
          std::span<const PolicyCandidate> candidates, ordered_json& policies) {
  for (const v1::BacktestResult& result : final.results()) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (result.name() != fmt::format("p{}", i)) continue;
      ordered_json own = Described(candidates[i]);
      own["decisions"] = result.num_decisions();
      own["triggers"] = ordered_json::array();
      for (const auto& trigger : result.triggers()) {
        own["triggers"].push_back(FormatTimestamp({trigger.at().event_time()}));
      }
      policies.push_back(std::move(own));
    }
  }
}

bool IsOfPolicies(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) ||
         absl::IsNotFound(status);
}

std::vector<double> PricesOf(const SweptPolicy& policy, const std::vector<double>& prices) {
  const bool asks = WithWord(policy.trigger, "PRICE", "") != policy.trigger;
  return asks ? prices : std::vector<double>{};
}

// Whether an entry of `policies` is one that Keep() has made.
bool IsTriedPolicy(const ordered_json& own) {
  return own.is_object() && own.contains("policy") && own["policy"].is_string() &&
         own.contains("price") && (own["price"].is_null() || own["price"].is_number()) &&
         own.contains("setting") && own["setting"].is_string() && own.contains("triggers") &&
         own["triggers"].is_array() &&
         std::ranges::all_of(own["triggers"],
                             [](const ordered_json& at) { return at.is_string(); });
}

}  // namespace

std::vector<PolicyCandidate> CandidatesOf(const SweepSpec& sweep,
                                          const std::vector<double>& prices) {
  std::vector<PolicyCandidate> candidates;
  for (const SweptPolicy& policy : sweep.policies) {
    const std::vector<double> own = PricesOf(policy, prices);
    for (const auto& setting : Settings(policy.tune)) {
      if (own.empty()) candidates.push_back(Candidate(policy, std::nullopt, setting));
      for (const double price : own) candidates.push_back(Candidate(policy, price, setting));
    }
  }
  return candidates;
}

absl::StatusOr<ordered_json> TryPolicies(const Session& session, const std::string& pipeline,
                                         int64_t run, const SweepSpec& sweep,
                                         const std::vector<double>& prices) {
  const std::vector<PolicyCandidate> candidates = CandidatesOf(sweep, prices);
  ordered_json policies = ordered_json::array();
  ordered_json failed = ordered_json::array();
  // All at once, as they share answers of models. When one cannot be tried, each alone.
  auto final = Backtest(session, pipeline, run, sweep, candidates);
  if (final.ok()) {
    Keep(*final, candidates, policies);
  } else if (!IsOfPolicies(final.status())) {
    return final.status();
  } else {
    for (const PolicyCandidate& candidate : candidates) {
      final = Backtest(session, pipeline, run, sweep, std::span(&candidate, 1));
      if (final.ok()) {
        Keep(*final, std::span(&candidate, 1), policies);
      } else if (!IsOfPolicies(final.status())) {
        return final.status();
      } else {
        failed.push_back(Described(candidate));
        failed.back()["error"] = std::string(final.status().message());
      }
    }
  }
  return ordered_json{{"policies", policies}, {"failed", failed}};
}

absl::StatusOr<results::SweepSeed> SweepSeedOf(const ordered_json& result, const SweepSpec& sweep) {
  if (!result.is_object()) return InvalidArgument("a result is an object");
  results::SweepSeed seed;
  ASSIGN_OR_RETURN(const RunFigures figures,
                   FiguresFromJson(result.value("figures", ordered_json())));
  std::vector<results::TrainedAt> models;
  for (const TrainedModel& model : figures.models) models.push_back({model.number, model.at});
  ASSIGN_OR_RETURN(seed.matrix,
                   results::ErrorMatrixOf(figures.table, models, sweep.measure, sweep.error_scale));
  seed.seed = result.value("seed", int64_t{0});
  const auto policies = result.find("policies");
  if (policies == result.end() || !policies->is_array()) {
    return InvalidArgument("'policies' is missing");
  }
  for (const ordered_json& own : *policies) {
    if (!IsTriedPolicy(own)) return InvalidArgument("'policies' has an entry that is not a policy");
    results::TriedPolicy& policy = seed.policies.emplace_back();
    policy.name = own.at("policy");
    if (!own.at("price").is_null()) policy.price = own.at("price").get<double>();
    policy.setting = own.at("setting");
    for (const ordered_json& at : own.at("triggers")) {
      ASSIGN_OR_RETURN(const Timestamp time, ParseTimestamp(at.get<std::string>()));
      policy.triggers.push_back(time);
      policy.num_off_grid += std::ranges::binary_search(seed.matrix.cuts, time) ? 0 : 1;
    }
  }
  return seed;
}

}  // namespace tidemill::cli
