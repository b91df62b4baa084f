#pragma once
// From a code address of the running program to its line.
#include <cstdint>
#include <string>

namespace wm::emu::race {

/// "gemm_tile.cuh:120" for the call that returns to `place` (relative to the program's start): the
/// innermost line outside the kernel language's own headers. Asks the program addr2line; where it
/// is absent or finds nothing, "code address 0x1234".
std::string source_line(std::uint32_t place);

}  // namespace wm::emu::race
