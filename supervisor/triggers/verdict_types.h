// Declares verdicts for headers that only pass them on. verdict.h has all of them; decision.pb.h,
// which it includes, is costly to compile.
#pragma once

#include <string>

namespace google::protobuf {
template <typename Key, typename T>
class Map;
}  // namespace google::protobuf

namespace tidemill::supervisor {

namespace v1 {
class Verdict;
}  // namespace v1

// The answer of a policy at a decision point, and the reasons for it.
using Verdict = v1::Verdict;

// Observed numbers by name: "samples" -> 2000. number_names.h lists the names, with their units.
using Observed = google::protobuf::Map<std::string, double>;

}  // namespace tidemill::supervisor
