#include "cli/tidemill.h"
#include "rpc/service_main.h"

int main(int argc, char** argv) {
  tidemill::rpc::EndProcess(tidemill::cli::RunCommandLine(argc, argv));
}
