// The model of a program as the `weights` part of a model: an object of Python, in the form in
// which its process gave it.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::models {

// The forms in which a program hands a model over.
inline constexpr char kPickleForm[] = "pickle";
inline constexpr char kTorchScriptForm[] = "torchscript";

struct PackedModel {
  // kPickleForm or kTorchScriptForm.
  std::string form;
  std::string bytes;
};

// Returns an object as a safetensors file with one array of bytes.
absl::StatusOr<std::string> EncodePickle(std::string_view pickle);

// Returns the object or the TorchScript file that is in such a file, or in the weights of a network
// from a TorchScript file. FAILED_PRECONDITION for the weights of another network; DATA_LOSS for
// bytes that are not a safetensors file.
absl::StatusOr<PackedModel> DecodePackedModel(std::string_view weights);

}  // namespace tidemill::models
