#pragma once
// Wide memory accesses. The host side checks natural alignment and reports a violation as a GPU
// would, which x86 never notices.
#include <cstdint>
#include <cstring>

#include "gpu/language.hpp"

namespace wm {

/// N consecutive elements that move in one access of at most 16 bytes.
template <class T, int N>
struct alignas(sizeof(T) * N) Vec {
  static_assert(N > 0 && (N & (N - 1)) == 0 && sizeof(T) * N <= 16);
  T v[N];
  WM_HOST_DEVICE T& operator[](int i) { return v[i]; }
  WM_HOST_DEVICE const T& operator[](int i) const { return v[i]; }
};

/// Whether the address is a multiple of `bytes` (a power of two).
WM_HOST_DEVICE inline bool is_aligned(const void* address, std::size_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(address) & (bytes - 1)) == 0;
}

#if defined(__CUDACC__)

namespace detail {
/// The built-in type whose assignment is one instruction of the width.
template <int kBytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};
}  // namespace detail

/// Elements p[0], ..., p[N - 1] in one access; p is aligned to it.
template <int N, class T>
__device__ inline Vec<T, N> load_vec(const T* p) {
  using W = typename detail::Word<static_cast<int>(sizeof(Vec<T, N>))>::type;
  const W word = *reinterpret_cast<const W*>(p);
  Vec<T, N> value;
  memcpy(&value, &word, sizeof(value));
  return value;
}

/// Writes p[0], ..., p[N - 1] in one access; p is aligned to it.
template <class T, int N>
__device__ inline void store_vec(T* p, const Vec<T, N>& value) {
  using W = typename detail::Word<static_cast<int>(sizeof(Vec<T, N>))>::type;
  W word;
  memcpy(&word, &value, sizeof(value));
  *reinterpret_cast<W*>(p) = word;
}

#else

#if defined(WM_RACE)
namespace detail {
/// A type whose assignment is one access of the width: what the race flavour is to see.
template <std::size_t kBytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  typedef unsigned short type __attribute__((may_alias));
};
template <>
struct Word<4> {
  typedef unsigned type __attribute__((may_alias));
};
template <>
struct Word<8> {
  typedef unsigned long type __attribute__((may_alias));
};
template <>
struct Word<16> {
  typedef float type __attribute__((may_alias, vector_size(16)));
};
}  // namespace detail
#endif

template <int N, class T>
__forceinline__ Vec<T, N> load_vec(const T* p WM_SITE) {
  if (!is_aligned(p, sizeof(Vec<T, N>))) [[unlikely]]
    emu::fail_misaligned(p, sizeof(Vec<T, N>), "read", {WM_PASS_ONLY_SITE});
  Vec<T, N> value;
#if defined(WM_RACE)
  const auto word = *reinterpret_cast<const typename detail::Word<sizeof(value)>::type*>(p);
  std::memcpy(&value, &word, sizeof(value));
#else
  for (int i = 0; i < N; ++i) value.v[i] = p[i];  // memcpy would hide the element type from g++
#endif
  return value;
}

template <class T, int N>
__forceinline__ void store_vec(T* p, const Vec<T, N>& value WM_SITE) {
  if (!is_aligned(p, sizeof(value))) [[unlikely]]
    emu::fail_misaligned(p, sizeof(value), "write", {WM_PASS_ONLY_SITE});
#if defined(WM_RACE)
  using Word = typename detail::Word<sizeof(value)>::type;
  Word word;
  std::memcpy(&word, &value, sizeof(value));
  *reinterpret_cast<Word*>(p) = word;
#else
  for (int i = 0; i < N; ++i) p[i] = value.v[i];
#endif
}

#endif

}  // namespace wm
