// Every method of every service, and requests for it, as the descriptors of the protos tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::tests {

struct Method {
  // By the name that `tidemill status` gives to where it is served.
  std::string service;
  const google::protobuf::MethodDescriptor* descriptor;

  // "/tidemill.storage.v1.StorageService/ListSamples".
  std::string Path() const;
  // A service's where it may call the method, else an operator's.
  rpc::v1::Role Role() const;
  bool Allows(rpc::v1::Role role) const;
};

// Those that take something away come last.
std::vector<Method> AllMethods();

// Messages below a request are filled in to this depth.
inline constexpr int kMaxDepth = 4;

bool IsInteger(const google::protobuf::FieldDescriptor& field);

// Sets an integer, or the only element of a list of integers.
void SetInteger(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field,
                int64_t value);

// Returns the message below, of which there is one.
google::protobuf::Message& Below(google::protobuf::Message& message,
                                 const google::protobuf::FieldDescriptor& field);

// Makes every integer 1: the number of the first dataset, run, model and trigger. Names are new
// ones, and a command belongs to a new request. The rest stays empty.
void FillInRequest(const Method& method, google::protobuf::Message& request);

}  // namespace tidemill::tests
