// Receives samples from storage over gRPC. The frames are decoded here, in the requested order.
#pragma once

#include <span>

#include "base/id.h"
#include "base/status.h"
#include "storage/client/storage_client.h"
#include "storage/client/storage_connection.h"

namespace tidemill::storage {

// Implements StorageClient::ListSamples.
absl::Status StreamList(StorageConnection& connection, const v1::ListSamplesRequest& request,
                        const StorageClient::BatchSink& sink);

// Implements StorageClient::ReadSamples for samples that come over the network. The keys are
// divided into requests. The next request is sent, and its first block received, before the current
// one has ended.
absl::Status StreamSamples(StorageConnection& connection, DatasetId dataset,
                           std::span<const int64_t> keys, const StorageClient::SampleSink& sink);

}  // namespace tidemill::storage
