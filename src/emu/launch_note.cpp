#include "gpu/launch_note.hpp"

#include "emu/grid.hpp"

namespace wm {
namespace {

LaunchNote* current_note = nullptr;

std::string text(const dim3& d) {
  return '(' + std::to_string(d.x) + ',' + std::to_string(d.y) + ',' + std::to_string(d.z) + ')';
}

}  // namespace

void set_launch_note(LaunchNote* note) { current_note = note; }

void note_launch(const char* signature, const dim3& grid, const dim3& block) {
  if (current_note == nullptr) return;
  current_note->grid = grid;
  current_note->block = block;
  current_note->signature.store(signature, std::memory_order_release);
  current_note->launches.fetch_add(1, std::memory_order_relaxed);
}

std::string last_launch(const LaunchNote& note) {
  const char* signature = note.signature.load(std::memory_order_acquire);
  if (signature == nullptr) return "no launch yet";
  return "kernel " + emu::kernel_name(signature) + ", grid " + text(note.grid) + ", block " +
         text(note.block);
}

}  // namespace wm
