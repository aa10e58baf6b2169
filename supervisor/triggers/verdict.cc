#include "supervisor/triggers/verdict.h"

#include "google/protobuf/util/message_differencer.h"

namespace tidemill::supervisor {

Verdict NewVerdict(std::string_view policy, const Observed& observed) {
  Verdict verdict;
  verdict.set_policy(std::string(policy));
  *verdict.mutable_observed() = observed;
  return verdict;
}

v1::Comparison Compared(std::string_view quantity, double value, double threshold,
                        std::string_view unit) {
  v1::Comparison compared;
  compared.set_quantity(std::string(quantity));
  compared.set_value(value);
  compared.set_threshold(threshold);
  compared.set_unit(std::string(unit));
  return compared;
}

v1::Comparison Awaited(std::string_view quantity, double value, double threshold,
                       std::string_view unit) {
  v1::Comparison awaited = Compared(quantity, value, threshold, unit);
  awaited.set_waiting(true);
  return awaited;
}

double MarginOf(const v1::Comparison& compared) { return compared.value() - compared.threshold(); }

v1::Change ChangeOf(std::string_view key, double from, double to) {
  v1::Change change;
  change.set_key(std::string(key));
  change.set_from(from);
  change.set_to(to);
  return change;
}

const v1::PolicyFault* FaultOf(const Verdict& verdict) {
  if (verdict.has_fault()) return &verdict.fault();
  for (const Verdict& member : verdict.members()) {
    if (const v1::PolicyFault* fault = FaultOf(member)) return fault;
  }
  return nullptr;
}

bool AreEqual(const Verdict& one, const Verdict& other) {
  return google::protobuf::util::MessageDifferencer::Equals(one, other);
}

}  // namespace tidemill::supervisor
