// tidemill-supervisor: decides when to train and conducts the runs.
#include "rpc/service_main.h"
#include "supervisor/supervisor_server.h"

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(argc, argv, "supervisor",
                                    tidemill::supervisor::StartSupervisor);
}
