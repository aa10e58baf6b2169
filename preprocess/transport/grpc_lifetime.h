// How long gRPC's own threads live.
#pragma once

namespace tidemill::preprocess {

// Keeps gRPC alive until the process ends. Without it, the end of gRPC's last object would wait up
// to ten seconds for a gRPC thread that is polling connections. This happens when the last bytes
// were sent by a thread that is not gRPC's, such as one that fills an outbox.
void KeepGrpc();

}  // namespace tidemill::preprocess
