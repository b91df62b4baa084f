#include "core/hash.hpp"

#include <openssl/evp.h>

#include <array>

#include "core/error.hpp"

namespace wm {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

namespace {

void require(bool ok) {
  if (!ok) throw EnvironmentError("libcrypto cannot compute SHA-256");
}

}  // namespace

Sha256::Sha256() : state_(std::make_unique<State>()) {
  require(state_->context != nullptr);
  require(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::update(const void* data, std::size_t bytes) {
  require(EVP_DigestUpdate(state_->context, data, bytes) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest{};
  require(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string sha256_hex(const void* data, std::size_t bytes) {
  Sha256 hash;
  hash.update(data, bytes);
  return hash.hex();
}

std::string sha256_hex(std::string_view text) { return sha256_hex(text.data(), text.size()); }

}  // namespace wm
