// Samples as they come from storage over gRPC: frames, taken apart here, in the order asked for.
#pragma once

#include <span>

#include "base/id.h"
#include "base/status.h"
#include "storage/client/storage_client.h"
#include "storage/client/storage_connection.h"

namespace tidemill::storage {

// What StorageClient::ListSamples does.
absl::Status StreamList(StorageConnection& connection, const v1::ListSamplesRequest& request,
                        const StorageClient::BatchSink& sink);

// What StorageClient::ReadSamples does where the samples come over the wire. The keys are cut into
// requests; the next one is sent, and its first block received, before the present one has ended.
absl::Status StreamSamples(StorageConnection& connection, DatasetId dataset,
                           std::span<const int64_t> keys, const StorageClient::SampleSink& sink);

}  // namespace tidemill::storage
