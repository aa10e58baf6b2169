// What the streams of storage's gRPC face consist of.
#pragma once

#include <memory>

#include "grpcpp/support/byte_buffer.h"

#include "rpc/frame_stream.h"
#include "storage/index/sample_index.h"
#include "storage/read/open_files.h"

namespace tidemill::storage {

// The answers to a ListSamplesRequest, which is `request`: one a batch. `indexes` must outlive it.
std::unique_ptr<rpc::FrameSource> ListFrames(SampleIndex& indexes, const grpc::ByteBuffer& request);

// The answers to a ReadSamplesRequest, which is `request`: one a block of about `block_bytes` of
// payload. `indexes` and `files` must outlive it.
std::unique_ptr<rpc::FrameSource> ReadFrames(SampleIndex& indexes, OpenFiles& files,
                                             int64_t block_bytes, const grpc::ByteBuffer& request);

// The answers to a DescribeSamplesRequest, which is `request`. `indexes` must outlive it.
std::unique_ptr<rpc::FrameSource> DescriptionFrames(SampleIndex& indexes,
                                                    const grpc::ByteBuffer& request);

}  // namespace tidemill::storage
