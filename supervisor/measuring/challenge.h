// Whether a newly trained model is better than the one in use (`promote: {when: better}`). The rule
// is in docs/guides/which-model-answers.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "evaluator/measures/measures.h"
#include "supervisor/measuring/windows.h"
#include "supervisor/triggers/evidence.h"
#include "tidemill/supervisor/v1/model_use.pb.h"

namespace tidemill::supervisor {

// A part [from, to) of a dataset's stream.
struct MetSpan {
  rpc::v1::Cut from;
  rpc::v1::Cut to;
};

// Returns the parts of the stream that are in windows which begin at or after both cuts, in order.
// Windows that overlap or touch are one part, so that each sample counts once.
std::vector<MetSpan> SpansAfter(const std::vector<Window>& windows, const rpc::v1::Cut& one,
                                const rpc::v1::Cut& other);

// Samples in the order of time.
struct ComparedSamples {
  std::vector<int64_t> keys;
  std::vector<int64_t> times;
  // The share that they are of all samples there are, from which they were drawn by their keys.
  double share = 1;
};

struct ChallengeRule {
  const evaluator::Measure& measure;
  // By how much it must be better; std::nullopt: beyond the interval.
  std::optional<double> margin = std::nullopt;
  int replicates = 200;
  int64_t seed = 0;
};

struct ChallengeAnswer {
  bool is_better = false;
  // Whether there were too few samples to say so.
  bool has_too_few = false;
  // Why, as the end of a sentence about the challenger: "is better by 0.02 of accuracy ...".
  std::string why;
  std::optional<v1::ModelComparison> comparison = std::nullopt;
};

// Compares what both models said about the samples, in the form of EvidenceKind::kOutcomes. Samples
// that one of them has not answered do not count.
ChallengeAnswer JudgeChallenge(const ChallengeRule& rule, const ComparedSamples& samples,
                               const EvidenceTable& champion, const EvidenceTable& challenger);

}  // namespace tidemill::supervisor
