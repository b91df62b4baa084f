#pragma once
// SHA-256 (libcrypto) for case ids, plan hashes and tensor digests.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace wm {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(const void* data, std::size_t bytes);
  std::string hex();  ///< finishes; 64 lower-case hex digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view text);
std::string sha256_hex(const void* data, std::size_t bytes);

}  // namespace wm
