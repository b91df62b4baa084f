#include "emu/faults.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <csignal>
#include <mutex>

#include "emu/machine.hpp"

#if defined(WM_EMU_ASAN)
/// The options the emulator needs, so that no user has to set ASAN_OPTIONS: its fault handler comes
/// before AddressSanitizer's (which gets every fault outside kernels), and variables live on the
/// fibers' own stacks, which end without notice.
extern "C" __attribute__((used)) const char* __asan_default_options() {
  return "allow_user_segv_handler=1:detect_stack_use_after_return=0";
}
#endif

namespace wm::emu {
namespace {

constexpr std::size_t kSignalStackBytes = 64 * 1024;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
struct sigaction previous_actions[NSIG];

/// The alternate stack of one OS thread, unless it has one.
class SignalStack {
 public:
  SignalStack() {
    stack_t old{};
    if (sigaltstack(nullptr, &old) == 0 && (old.ss_flags & SS_DISABLE) == 0) return;
    memory_ = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0);
    if (memory_ == MAP_FAILED) {
      memory_ = nullptr;
      return;
    }
    stack_t stack{};
    stack.ss_sp = memory_;
    stack.ss_size = kSignalStackBytes;
    sigaltstack(&stack, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack() {
    if (memory_ == nullptr) return;
    stack_t off{};
    off.ss_flags = SS_DISABLE;
    sigaltstack(&off, nullptr);
    munmap(memory_, kSignalStackBytes);
  }

 private:
  void* memory_ = nullptr;
};

/// Not instrumented: AddressSanitizer learns of the new stack in fail_fault, and the marks of an
/// earlier fault must be gone before that has a frame here.
__attribute__((no_sanitize("address"))) void rescue() {
  current_machine->clear_rescue_stack();
  current_machine->fail_fault();
}

/// Makes the interrupted code continue in `rescue` on the rescue stack, as if called there. The
/// fiber's own stack may be exhausted, and its red zone is of no use to anyone any more.
void redirect(ucontext_t& context, std::byte* stack_top) {
  const auto top = reinterpret_cast<std::uintptr_t>(stack_top) & ~std::uintptr_t{15};
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&rescue);
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top - 8);  // a return address was pushed
  context.uc_mcontext.gregs[REG_EFL] &= ~greg_t{0x400};               // direction flag clear
#elif defined(__aarch64__)
  context.uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(&rescue);
  context.uc_mcontext.sp = top;
#else
#error "faults.cpp knows x86-64 and aarch64"
#endif
}

Fault::Access access_of(int signal, const ucontext_t& context) {
  if (signal == SIGFPE) return Fault::Access::unknown;
#if defined(__x86_64__)
  return context.uc_mcontext.gregs[REG_ERR] & 2 ? Fault::Access::write : Fault::Access::read;
#else
  (void)context;
  return Fault::Access::unknown;
#endif
}

/// Not in a kernel: the previous handler gets it. Returning executes the instruction again.
void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = previous_actions[signal];
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    ::sigaction(signal, &previous, nullptr);
  } else {
    previous.sa_handler(signal);
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  Machine* machine = current_machine;
  if (machine == nullptr || !machine->in_kernel()) {
    pass_on(signal, info, context);
    return;
  }
  auto& interrupted = *static_cast<ucontext_t*>(context);
  machine->fault = {signal, info->si_code, info->si_addr, access_of(signal, interrupted)};
  redirect(interrupted, machine->rescue_top());
}

void install_handlers() {
  for (const int signal : kSignals) {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &previous_actions[signal]);
  }
}

}  // namespace

void prepare_faults() {
  static std::once_flag once;
  std::call_once(once, install_handlers);
  thread_local const SignalStack stack;
}

}  // namespace wm::emu
