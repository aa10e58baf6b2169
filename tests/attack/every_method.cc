#include "tests/attack/every_method.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>

#include "fmt/format.h"

#include "rpc/channel.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.pb.h"
#include "tidemill/supervisor/v1/model_use.pb.h"
#include "tidemill/supervisor/v1/pool.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::tests {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// By the name that the configuration gives to where it is served.
const std::multimap<std::string, const google::protobuf::FileDescriptor*>& Services() {
  static const std::multimap<std::string, const google::protobuf::FileDescriptor*> services = {
      {"storage", storage::v1::RegisterDatasetRequest::descriptor()->file()},
      {"supervisor", supervisor::v1::SubmitPipelineRequest::descriptor()->file()},
      {"supervisor", supervisor::v1::GetPoolRequest::descriptor()->file()},
      {"supervisor", supervisor::v1::UseModelRequest::descriptor()->file()},
      {"selector", selector::v1::SealTrainingSetRequest::descriptor()->file()},
      {"model_store", model_store::v1::RetireModelsRequest::descriptor()->file()},
      {"trainer_server", trainer_server::v1::FitGraphRequest::descriptor()->file()},
      {"evaluator", evaluator::v1::StartEvaluationRequest::descriptor()->file()},
      {"preprocess", preprocess::v1::CreateJobRequest::descriptor()->file()}};
  return services;
}

void FillIn(Message& message, int depth) {
  const Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (IsInteger(field)) {
      SetInteger(message, field, 1);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field.is_map() &&
               depth < kMaxDepth) {
      FillIn(Below(message, field), depth + 1);
    }
  }
}

// nullptr where a request carries none.
Message* CommandOf(Message& request) {
  const FieldDescriptor* const header = request.GetDescriptor()->FindFieldByName("header");
  Message& holder = header == nullptr ? request : Below(request, *header);
  const FieldDescriptor* const field = holder.GetDescriptor()->FindFieldByName("command");
  return field == nullptr ? nullptr : &Below(holder, *field);
}

}  // namespace

std::string Method::Path() const {
  return fmt::format("/{}/{}", descriptor->service()->full_name(), descriptor->name());
}

rpc::v1::Role Method::Role() const {
  return Allows(rpc::v1::ROLE_SERVICE) ? rpc::v1::ROLE_SERVICE : rpc::v1::ROLE_OPERATOR;
}

bool Method::Allows(rpc::v1::Role role) const {
  const auto& allowed = descriptor->options().GetRepeatedExtension(rpc::v1::allowed);
  return std::find(allowed.begin(), allowed.end(), role) != allowed.end();
}

// Those that take something away come last.
std::vector<Method> AllMethods() {
  std::vector<Method> methods;
  for (const auto& [service, file] : Services()) {
    for (int i = 0; i < file->service_count(); ++i) {
      const bool is_worker = file->service(i)->name() == "WorkerService";
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        methods.push_back({is_worker ? "preprocess_worker" : service, file->service(i)->method(j)});
      }
    }
  }
  const auto takes_away = [](const Method& method) {
    const std::string& name = method.descriptor->name();
    return name.starts_with("Delete") || name.starts_with("Drain") || name.starts_with("Retire");
  };
  std::stable_partition(methods.begin(), methods.end(),
                        [&](const Method& method) { return !takes_away(method); });
  return methods;
}

bool IsInteger(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_INT32 ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_INT64;
}

void SetInteger(Message& message, const FieldDescriptor& field, int64_t value) {
  const Reflection& reflection = *message.GetReflection();
  const auto small = static_cast<int32_t>(std::clamp<int64_t>(
      value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
  const bool is_small = field.cpp_type() == FieldDescriptor::CPPTYPE_INT32;
  if (!field.is_repeated()) {
    is_small ? reflection.SetInt32(&message, &field, small)
             : reflection.SetInt64(&message, &field, value);
    return;
  }
  reflection.ClearField(&message, &field);
  is_small ? reflection.AddInt32(&message, &field, small)
           : reflection.AddInt64(&message, &field, value);
}

Message& Below(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) return *reflection.MutableMessage(&message, &field);
  if (reflection.FieldSize(message, &field) == 0) reflection.AddMessage(&message, &field);
  return *reflection.MutableRepeatedMessage(&message, &field, 0);
}

void FillInRequest(const Method& method, Message& request) {
  static std::atomic<int64_t> num_requests = 0;
  const int64_t number = ++num_requests;
  FillIn(request, 1);
  const std::map<std::string, std::string> strings = {{"name", fmt::format("n{}", number)},
                                                      {"endpoint", "unix:/nowhere"},
                                                      {"pipeline_name", "small"}};
  for (const auto& [name, value] : strings) {
    const FieldDescriptor* const field = request.GetDescriptor()->FindFieldByName(name);
    if (field != nullptr) request.GetReflection()->SetString(&request, field, value);
  }
  Message* const command = CommandOf(request);
  if (command == nullptr) return;
  rpc::v1::Command sent;
  sent.set_request_id(rpc::NewRequestId());
  // People name none, and no run is taken from its supervisor.
  sent.set_run_id(method.Allows(rpc::v1::ROLE_OPERATOR) ? 0 : 1'000 + number);
  sent.set_run_epoch(1);
  command->ParseFromString(sent.SerializeAsString());
}

}  // namespace tidemill::tests
