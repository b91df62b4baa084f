#pragma once
// SIGSEGV, SIGBUS and SIGFPE inside a kernel become a report; elsewhere they go to whatever handled
// them before.
namespace wm::emu {

/// Installs the handlers (once a process) and an alternate signal stack for this OS thread.
void prepare_faults();

}  // namespace wm::emu
