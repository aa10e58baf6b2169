#include "evaluator/windows/asked_contributions.h"

#include <algorithm>
#include <utility>

#include "evaluator/windows/short_reason.h"
#include "plugin/process/fault.h"

namespace tidemill::evaluator {
namespace {

// The limit of the sentence: it is stored as JSON beside sums.
constexpr size_t kMaxFault = 300;
// The end of a traceback, where the mistake is.
constexpr size_t kMaxTraceback = 8000;

// Printable, except for the ends of its lines.
std::string ShortTraceback(const absl::Status& fault) {
  std::string text = plugin::TracebackOf(fault);
  if (text.size() > kMaxTraceback) text = "..." + text.substr(text.size() - kMaxTraceback + 3);
  std::ranges::replace_if(
      text, [](char c) { return (c < ' ' || c > '~') && c != '\n'; }, '?');
  return text;
}

}  // namespace

absl::StatusOr<ContributedBlock> AskedContributions::Ask(const Measure& measure, Outcomes outcomes,
                                                         size_t& width) {
  if (measure.Needs() != Needs::kProbabilities) {
    outcomes.probabilities = {};
    outcomes.num_classes = 0;
  }
  ASSIGN_OR_RETURN(ContributedBlock block, measure.Contribute(outcomes));
  if (width == 0) width = block.width;
  if (width == block.width) return block;
  return InvalidArgument("{}: a sample contributes {} numbers, but earlier samples contributed {}",
                         measure.RunsWith(), block.width, width);
}

absl::Status AskedContributions::Note(size_t measure, const absl::Status& failure) {
  if (plugin::IsOfMachine(failure)) return failure;
  faults_[measure].Update(failure);
  return absl::OkStatus();
}

absl::Status AskedContributions::Add(Outcomes& outcomes) {
  blocks_.clear();
  names_.clear();
  contributions_.clear();
  for (size_t i = 0; i < measures_.size(); ++i) {
    if (!measures_[i]->AsksForContributions() || !faults_[i].ok()) continue;
    auto block = Ask(*measures_[i], outcomes, widths_[i]);
    RETURN_IF_ERROR(Note(i, block.status()));
    if (!block.ok()) continue;
    blocks_.push_back(*std::move(block));
    names_.push_back(measures_[i]->Name());
  }
  for (size_t i = 0; i < blocks_.size(); ++i) {
    contributions_.push_back(
        {.measure = names_[i], .numbers = blocks_[i].numbers, .width = blocks_[i].width});
  }
  outcomes.contributions = contributions_;
  return absl::OkStatus();
}

absl::Status AskedContributions::TakeFaults() {
  for (size_t i = 0; i < measures_.size(); ++i) {
    RETURN_IF_ERROR(Note(i, measures_[i]->TakeFault()));
  }
  return absl::OkStatus();
}

void AskedContributions::Describe(
    google::protobuf::RepeatedPtrField<v1::Evaluation>& scores) const {
  for (size_t i = 0; i < measures_.size(); ++i) {
    if (faults_[i].ok()) continue;
    v1::Evaluation& score = scores[static_cast<int>(i)];
    score.set_fault(ShortReason(faults_[i]).substr(0, kMaxFault));
    score.set_traceback(ShortTraceback(faults_[i]));
  }
}

}  // namespace tidemill::evaluator
